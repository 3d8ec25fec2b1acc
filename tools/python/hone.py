"""Hone's ladders in Python: what becomes of a rung as text, and runs on your arrays.

    import hone

    hone.ladders()                                  # ['matmul', ...]
    matmul = hone.ladder("matmul")
    rung = matmul["shared-32"]
    print(rung.cuda(M=256))
    result = rung.run(A=a, B=b)                     # NumPy, or whatever has __dlpack__
    result["C"]                                     # a NumPy array

Schedules are C++: a ladder of one's own is a C++ program that links hone::cli.
"""

import json
import pathlib
import tempfile

import _hone
from _hone import Array, UsageError

__all__ = ["Array", "HoneError", "Ladder", "Result", "Rung", "UsageError", "command", "ladder",
           "ladders", "rung"]


class HoneError(RuntimeError):
    """A command that failed: what it says, and in `printed` what it printed before."""

    def __init__(self, message, printed=""):
        super().__init__(message)
        self.printed = printed


def command(*words, status=(0,)):
    """What `hone WORDS...` prints. Raises UsageError for a command line that asks for what there is
    not, and HoneError where the exit status is none of `status`."""
    result = _hone.command([str(word) for word in words])
    if result.status in status:
        return result.printed
    message = result.complained.removeprefix("error: ").rstrip("\n")
    if result.status == 2:
        raise UsageError(message)
    raise HoneError(message or result.printed, result.printed)


def ladders():
    """The names of all ladders."""
    return _hone.ladder_names()


def ladder(name):
    """The ladder of that name. Raises UsageError where there is none."""
    return Ladder(name)


def rung(name):
    """The rung that "matmul/bind" names. Raises UsageError where there is none."""
    ladder_name, _, rung_name = name.partition("/")
    return Ladder(ladder_name)[rung_name]


def _size_options(sizes):
    return [f"-D{name}={size}" for name, size in sizes.items()]


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Ladder:
    """Stepwise optimisations of one program."""

    def __init__(self, name):
        facts = _hone.ladder_facts(name)
        self.name = name
        self.title = facts["title"]
        self.sizes = facts["sizes"]
        self.rungs = [Rung(self, *words) for words in facts["rungs"]]

    def __iter__(self):
        return iter(self.rungs)

    def __len__(self):
        return len(self.rungs)

    def __getitem__(self, name):
        for one in self.rungs:
            if one.name == name:
                return one
        command("show", f"{self.name}/{name}")  # raises, and says what there is
        raise KeyError(name)

    def run(self, device="auto", **sizes):
        """Runs and checks all rungs: a list of rows, as `hone ladder NAME --json` has them."""
        words = ["ladder", self.name, "--json", f"--device={device}"]
        return json.loads(command(*words, *_size_options(sizes), status=(0, 1)))

    def page(self):
        """The page of the ladder, one HTML text that needs nothing else."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.html"
            command("ladder", self.name, "--html", path)
            return path.read_text(encoding="utf-8")

    def __repr__(self):
        return f"<hone ladder {self.name}: {self.title}>"

    def _repr_html_(self):
        rows = "".join(f"<tr><td><code>{_escaped(one.name)}</code></td>"
                       f"<td style='text-align: left'>{_escaped(one.title)}</td></tr>"
                       for one in self.rungs)
        return f"<p><b>{_escaped(self.name)}</b>: {_escaped(self.title)}</p><table>{rows}</table>"


class Rung:
    """One schedule of a ladder. Sizes are named: rung.cuda(M=256) makes M a constant."""

    def __init__(self, ladder_of_it, name, title, idea):
        self.ladder = ladder_of_it
        self.name = name
        self.title = title
        self.idea = idea

    @property
    def path(self):
        """As the command names it: "matmul/bind"."""
        return f"{self.ladder.name}/{self.name}"

    def show(self, form, **sizes):
        """What `hone show --emit=FORM` prints."""
        return command("show", self.path, f"--emit={form}", *_size_options(sizes))

    def schedule(self, **sizes):
        """The calls of the schedule, as C++."""
        return self.show("schedule", **sizes)

    def dependences(self, **sizes):
        """Which loops may run in parallel, and what the others carry."""
        return self.show("dependences", **sizes)

    def loops(self, **sizes):
        """The loop nest."""
        return self.show("loops", **sizes)

    def kernel(self, **sizes):
        """The program of one thread."""
        return self.show("kernel", **sizes)

    def cuda(self, **sizes):
        """The CUDA text."""
        return self.show("cuda", **sizes)

    def c(self, **sizes):
        """The C text."""
        return self.show("c", **sizes)

    def diff(self, against=None, form="loops"):
        """A unified diff against another rung, or the one that it builds on."""
        paths = [against.path, self.path] if against else [self.path]
        return command("diff", *paths, f"--emit={form}")

    def counters(self, **sizes):
        """What it asks of a GPU: a dict, as `hone counters --json` has it. Runs at these sizes."""
        return json.loads(command("counters", self.path, "--json", *_size_options(sizes)))

    def check(self, **sizes):
        """What is wrong with its kernels, as text; ends with how many findings there are."""
        return command("check", self.path, *_size_options(sizes), status=(0, 1))

    def explain(self, against=None, **sizes):
        """What makes it faster or slower than another rung, or the one that it builds on."""
        paths = [against.path, self.path] if against else [self.path]
        return command("explain", *paths, *_size_options(sizes))

    def draw(self, what, **sizes):
        """Drawings of "threads", "lanes" or "banks", as `hone draw` makes them: a list of SVG texts,
        which a notebook shows as pictures."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "drawing.svg"
            command("draw", self.path, what, "--svg", path, *_size_options(sizes))
            return [Drawing(one.read_text(encoding="utf-8"))
                    for one in sorted(pathlib.Path(folder).glob("drawing*.svg"), key=_number)]

    def run(self, arrays=None, *, sizes=None, device="auto", seed=1, **more):
        """Runs it on arrays, by the names of tensors: NumPy's, or others that have __dlpack__.
        Sizes follow from their shapes; inputs that are not given are random. Raises UsageError for
        a name that is no input, RuntimeError where shapes or types do not fit."""
        given = {**(arrays or {}), **more}
        return Result(_hone.run(self.path, given, sizes or {}, device, seed))

    def __repr__(self):
        return f"<hone rung {self.path}: {self.title}>"

    def _repr_html_(self):
        return (f"<p><b>{_escaped(self.path)}</b>: {_escaped(self.title)}</p>"
                f"<p>{_escaped(self.idea)}</p>"
                f"<pre>{_escaped(self.show(self._text_form()))}</pre>")

    def _text_form(self):
        try:
            self.show("loops")
        except UsageError:  # given as kernels
            return "kernel"
        return "loops"


def _number(path):
    """Of drawing-12.svg, 12."""
    return int(path.stem.rpartition("-")[2]) if "-" in path.stem else 0


class Drawing(str):
    """SVG text, which a notebook shows as a picture."""

    def _repr_svg_(self):
        return str(self)


class Result:
    """What a run leaves: outputs by name, the sizes, the device and the time."""

    def __init__(self, result):
        self.arrays = dict(result.outputs)  # of hone.Array, which know DLPack
        self.sizes = dict(result.sizes)
        self.milliseconds = result.milliseconds
        self.device = result.device

    def __getitem__(self, name):
        """An output as an array of NumPy."""
        import numpy
        return numpy.from_dlpack(self.arrays[name])

    def __repr__(self):
        return f"<hone result {', '.join(self.arrays)} on {self.device}>"
