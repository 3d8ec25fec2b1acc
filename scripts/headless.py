"""A headless Chromium, for scripts that look at pages as a person would."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

WIDTHS = {360: 780, 1400: 1000}  # and heights
SCHEMES = ("light", "dark")

# Texts that can be seen, with the part of the page that each one covers.
OVERLAPS = r"""
(() => {
  const clipped = (node) => {
    let box = { left: 0, top: -1e9, right: 1e9, bottom: 1e9 };
    for (let up = node; up && up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.visibility === "hidden") return null;
      const summary = node.closest("summary");
      const is_folded = up.tagName === "DETAILS" && !up.open;
      if (is_folded && !(summary && summary.parentElement === up)) return null;
      if (up.tagName === "NAV" && style.position === "sticky") return null;
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const edge = up.getBoundingClientRect();
      box = { left: Math.max(box.left, edge.left), top: Math.max(box.top, edge.top),
              right: Math.min(box.right, edge.right), bottom: Math.min(box.bottom, edge.bottom) };
    }
    return box;
  };
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    const is_text = node.textContent.trim() && !parent.closest("script, style, title, dialog");
    const box = is_text ? clipped(parent) : null;
    if (!box) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const one of range.getClientRects()) {
      const rect = { left: Math.max(one.left, box.left), top: Math.max(one.top, box.top),
                     right: Math.min(one.right, box.right), bottom: Math.min(one.bottom, box.bottom),
                     text: node.textContent.trim().slice(0, 40), parent };
      if (rect.right - rect.left > 1 && rect.bottom - rect.top > 1) texts.push(rect);
    }
  }
  texts.sort((a, b) => a.top - b.top);
  const found = [];
  texts.forEach((a, n) => {
    for (let m = n + 1; m < texts.length && texts[m].top < a.bottom - 4; ++m) {
      const b = texts[m];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (a.parent !== b.parent && wide > 2 && high > 4)
        found.push(`'${a.text}' and '${b.text}' lie on top of each other`);
    }
  });
  for (const text of document.querySelectorAll("svg text")) {
    const own = text.getBoundingClientRect(), edge = text.ownerSVGElement.getBoundingClientRect();
    if (own.width && (own.right > edge.right + 1 || own.left < edge.left - 1))
      found.push(`'${text.textContent}' is cut off at the edge of its picture`);
  }
  const root = document.scrollingElement;
  if (root.scrollWidth > window.innerWidth)
    found.push(`the page is ${root.scrollWidth} pixels wide, the window ${window.innerWidth}`);
  return found.slice(0, 5);
})()
"""


def find_browser():
    """`chromium`, or what CHROMIUM names; None where there is none."""
    return shutil.which(os.environ.get("CHROMIUM", "chromium"))


class Browser:
    """Chromium, spoken to through a pair of pipes: commands and events in JSON."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="hone-pages-")
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()

        def connect():
            read, write = os.dup(to_read), os.dup(to_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile}"],
            preexec_fn=connect, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []

    def receive(self):
        while b"\0" not in self.buffer:
            data = os.read(self.from_browser, 1 << 20)
            if not data:
                raise RuntimeError("the browser has gone")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event):
        while not any(one.get("method") == event for one in self.events):
            self.events.append(self.receive())

    def evaluate(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def open_tab(self):
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return target

    def close_tab(self, target):
        self.session = None
        self.call("Target.closeTarget", targetId=target)

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=30)
        shutil.rmtree(self.profile, ignore_errors=True)


def complaints_of_events(events, url):
    """Errors, and requests for anything but the page."""
    for event in events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            yield details.get("exception", {}).get("description", details["text"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            yield parameters["entry"]["text"]
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            yield "a message on the console"
        elif method == "Network.requestWillBeSent":
            asked = parameters["request"]["url"].split("#")[0]
            if asked != url and not asked.startswith("data:"):
                yield f"{asked} is fetched"


def screenshot(browser, path):
    data = browser.call("Page.captureScreenshot", format="png")["data"]
    path.write_bytes(base64.b64decode(data))


def shape(browser, width, scheme):
    """A window of one width, dark or light."""
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=WIDTHS[width],
                 deviceScaleFactor=1, mobile=False)
    browser.call("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
