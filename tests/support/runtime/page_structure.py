"""Reads a ladder page, a file or standard input, as XML, and prints what is wrong with it: markup
that is not well formed, ids that occur twice, links that lead nowhere, anything that is fetched,
folded lines that are not in the text that they are to come from, owners for more or fewer lines than
there are, and steps that light up no call of the schedule."""
import re
import sys
import xml.etree.ElementTree as tree

XHTML = "{http://www.w3.org/1999/xhtml}"


def classes(element):
    return element.get("class", "").split()


def find(element, style):
    return [one for one in element.iter() if style in classes(one)]


def lines_of(text, ids):
    """The lines of a listing, or the rows of a table, as the page's script puts them together."""
    stretch = text.get("data-at")
    if stretch:
        start, count, _ = map(int, stretch.split())
        lines = lines_of(ids[None], ids)[start:start + count]
        return lines if len(lines) == count else []
    if text.tag in (XHTML + "i", XHTML + "ins") or text.tag == XHTML + "tr":
        return [text]
    if text.tag == XHTML + "thead":
        return []
    base = text.get("data-of")
    inner = {**ids, None: ids.get(base)} if base else ids
    return [line for part in text for line in lines_of(part, inner)]


def owners(text):
    result = []
    for word in text.get("data-o").split():
        result += [result[-1]] * int(word[1:]) if word[0] == "=" else [word.split("/")[0]]
    return result


def steps(element):
    texts = [one for one in element.iter() if one.get("data-o")]
    return {step for text in texts for step in owners(text) if step != "-"}


def problems_of_texts(root):
    ids = {one.get("id"): one for one in root.iter() if one.get("id")}
    for text in root.iter():
        if text.get("data-o") is None:
            continue
        name = text.get("id") or text.get("class")
        lines = len(lines_of(text, ids))
        if lines != len(owners(text)):
            yield f"{name} has {lines} lines and {len(owners(text))} owners"


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
        if not find(find(rung, style)[0], "listing")[0].get("data-o"):
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
    found = list(problems_of_links(root)) + list(problems_of_texts(root))
    found += [problem for rung in rungs for problem in problems_of_rung(rung)]
    return found if rungs else found + ["there are no rungs"]


source = open(sys.argv[1], "rb") if len(sys.argv) > 1 else sys.stdin.buffer
for line in problems(source.read()):
    print(line)
