"""Reads a ladder page, a file or standard input, as XML, and prints what is wrong with it: markup
that is not well formed, ids that occur twice, links that lead nowhere, anything that is fetched, and
steps that light up no call of the schedule."""
import re
import sys
import xml.etree.ElementTree as tree

XHTML = "{http://www.w3.org/1999/xhtml}"


def classes(element):
    return element.get("class", "").split()


def find(element, style):
    return [one for one in element.iter() if style in classes(one)]


def steps(element):
    return {one.get("data-s") for one in element.iter() if one.get("data-s")}


def problems_of_links(root):
    ids = [one.get("id") for one in root.iter() if one.get("id")]
    yield from (f"the id {name} occurs twice" for name in set(ids) if ids.count(name) > 1)
    for one in root.iter():
        link = one.get("href") or one.get("src")
        if link and not link.startswith("#"):
            yield f"{link} is fetched"
        elif link and link[1:] not in ids:
            yield f"the link {link} leads nowhere"
        if one.tag == XHTML + "style" and re.search(r"url\(|@import", one.text):
            yield "the style fetches something"


def problems_of_rung(rung):
    name = rung.get("id")
    for heading in ("h2", "p"):
        if rung.find(XHTML + heading) is None:
            yield f"{name} has no {heading}"
    if not find(rung, "panes"):
        return
    schedules = find(rung, "schedule")
    for style in ("loops", "code") if schedules else ("code",):
        if not find(find(rung, style)[0], "listing")[0].findall(f".//{XHTML}span"):
            yield f"{name} has no {style}"
    if not schedules:
        return
    schedule = schedules[0]
    for step in steps(rung) - steps(schedule):
        yield f"a line of {name} is owed to the step {step}, which the schedule has not got"


def problems(text):
    try:
        root = tree.fromstring(text)
    except tree.ParseError as error:
        return [f"no XML: {error}"]
    rungs = find(root, "rung")
    found = list(problems_of_links(root))
    found += [problem for rung in rungs for problem in problems_of_rung(rung)]
    return found if rungs else found + ["there are no rungs"]


source = open(sys.argv[1], "rb") if len(sys.argv) > 1 else sys.stdin.buffer
for line in problems(source.read()):
    print(line)
