"""Hone in Python: schedules, what becomes of them as text, and runs on your arrays.

    import hone

    hone.ladders()                                  # ['matmul', ...]
    matmul = hone.ladder("matmul")
    rung = matmul["shared-32"]
    print(rung.cuda(M=256))
    result = rung.run(A=a, B=b)                     # NumPy, or whatever has __dlpack__
    result["C"]                                     # a NumPy array

    s = hone.Schedule("rows(A: f32[M, K]) -> S(i) = sum(k, A(i, k))")
    block, thread = s.split("i", 128)
    s.bind(block, "block.x")
    s.bind(thread, "thread.x")
    print(s.cuda())
    s.run(A=a)["S"]

A ladder of one's own is a C++ program that links hone::cli.
"""

import json
import pathlib
import tempfile

import _hone
from _hone import Array, ParseError, ScheduleError, UsageError

__all__ = ["Array", "HoneError", "Ladder", "ParseError", "Result", "Rung", "Schedule",
           "ScheduleError", "UsageError", "command", "ladder", "ladders", "rung"]


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


class _Scheduled:
    """What a rung and a schedule of one's own have in common. Sizes are named: cuda(M=256) makes M a
    constant."""

    def _command(self, name, *words, status=(0,)):
        raise NotImplementedError

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

    def counters(self, **sizes):
        """What it asks of a GPU: a dict, as `hone counters --json` has it. Runs at these sizes."""
        return json.loads(self._command("counters", "--json", *_size_options(sizes)))

    def check(self, **sizes):
        """What is wrong with its kernels, as text; ends with how many findings there are."""
        return self._command("check", *_size_options(sizes), status=(0, 1))

    def draw(self, what, **sizes):
        """Drawings of "threads", "lanes" or "banks", as `hone draw` makes them: a list of SVG texts,
        which a notebook shows as pictures."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "drawing.svg"
            self._command("draw", what, "--svg", path, *_size_options(sizes))
            return [Drawing(one.read_text(encoding="utf-8"))
                    for one in sorted(pathlib.Path(folder).glob("drawing*.svg"), key=_number)]


class Rung(_Scheduled):
    """One schedule of a ladder. Its idea answers the question, where it has one."""

    def __init__(self, ladder_of_it, name, title, question, idea):
        self.ladder = ladder_of_it
        self.name = name
        self.title = title
        self.question = question
        self.idea = idea

    @property
    def path(self):
        """As the command names it: "matmul/bind"."""
        return f"{self.ladder.name}/{self.name}"

    def _command(self, name, *words, status=(0,)):
        return command(name, self.path, *words, status=status)

    def show(self, form, **sizes):
        """What `hone show --emit=FORM` prints."""
        return self._command("show", f"--emit={form}", *_size_options(sizes))

    def schedule(self, **sizes):
        """The calls of the schedule, as C++."""
        return self.show("schedule", **sizes)

    def diff(self, against=None, form="loops"):
        """A unified diff against another rung, or the one that it builds on."""
        paths = [against.path, self.path] if against else [self.path]
        return command("diff", *paths, f"--emit={form}")

    def explain(self, against=None, **sizes):
        """What makes it faster or slower than another rung, or the one that it builds on."""
        paths = [against.path, self.path] if against else [self.path]
        return command("explain", *paths, *_size_options(sizes))

    def run(self, arrays=None, *, sizes=None, device="auto", seed=1, **more):
        """Runs it on arrays, by the names of tensors: NumPy's, or others that have __dlpack__.
        Sizes follow from their shapes; inputs that are not given are random. Raises UsageError for
        a name that is no input, RuntimeError where shapes or types do not fit."""
        given = {**(arrays or {}), **more}
        return Result(_hone.run(self.path, given, sizes or {}, device, seed))

    def __repr__(self):
        return f"<hone rung {self.path}: {self.title}>"

    def _repr_html_(self):
        question = f"<p><i>{_escaped(self.question)}</i></p>" if self.question else ""
        return (f"<p><b>{_escaped(self.path)}</b>: {_escaped(self.title)}</p>"
                f"{question}<p>{_escaped(self.idea)}</p>"
                f"<pre>{_escaped(self.show(self._text_form()))}</pre>")

    def _text_form(self):
        try:
            self.show("loops")
        except UsageError:  # given as kernels
            return "kernel"
        return "loops"


class Name(str):
    """An axis or a tensor of a schedule: a step takes it, or its name."""


def _argument(value, quotes=False):
    """A value as the text of steps has it."""
    if value is None:
        return "nullptr"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(_argument(one, quotes) for one in value) + "}"
    return f'"{value}"' if quotes else str(value)


class Schedule(_Scheduled):
    """A schedule of one's own: of a program as text, or of that of a ladder or of a rung.

    A step is a method, with the names that C++ has for it; axes and tensors are what steps return, or
    names. Words stand in quotes, and options have names:

        y, x, row, column = s.tile(["i", "j"], [32, 32], tail="exact")
        s.bind(y, "block.y")
        a_shared = s.cache_shared("A", ko, vectorize=4)

    Raises ScheduleError for a step that is refused, and ParseError for one that makes no sense; the
    schedule is as it was then.
    """

    def __init__(self, subject, steps=""):
        self.subject = subject
        self._schedule = _hone.Schedule(subject)
        if steps:
            self.replay(steps)

    def replay(self, steps):
        """Applies the text of steps, all of it or nothing; returns what the last one made."""
        tensor, axes = self._schedule.replay(steps)
        made = [Name(name) for name in ([tensor] if tensor else []) + axes]
        return made[0] if len(made) == 1 else tuple(made) or None

    def __getattr__(self, primitive):
        if primitive not in _hone.primitives():
            raise AttributeError(f"a schedule has no {primitive}")

        def step(*arguments, **options):
            named = len(arguments) - 1 if _hone.primitives()[primitive] else None
            words = [_argument(one, number == named) for number, one in enumerate(arguments)]
            words += [f"{name} = {_argument(value, name in ('name', 'names'))}"
                      for name, value in options.items()]
            return self.replay(f"{primitive}({', '.join(words)})")

        return step

    def __dir__(self):
        return [*super().__dir__(), *_hone.primitives()]

    def _command(self, name, *words, status=(0,)):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "steps"
            path.write_text(self.steps() or "// none\n", encoding="utf-8")
            return command(name, self.subject, *words, f"--steps={path}", status=status)

    def show(self, form, **sizes):
        """What `hone try --emit=FORM` prints."""
        return self._command("try", f"--emit={form}", *_size_options(sizes))

    def steps(self):
        """The steps so far, as C++."""
        return self._schedule.steps()

    def explain(self, **sizes):
        """What makes it faster or slower than the rung that it started from."""
        return self._command("explain", *_size_options(sizes))

    def run(self, arrays=None, *, sizes=None, device="auto", seed=1, **more):
        """Runs it on arrays, as a rung."""
        given = {**(arrays or {}), **more}
        return Result(self._schedule.run(given, sizes or {}, device, seed))

    def __str__(self):
        return self._schedule.loops()

    def _repr_html_(self):
        return f"<pre>{_escaped(str(self))}</pre>"


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
