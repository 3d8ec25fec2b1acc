#!/usr/bin/env python3
"""Tests of the Python module: strings, schedules, arrays of NumPy and DLPack, and what goes wrong.

Needs the folder with the module in PYTHONPATH. Ends with 77, and says why, where there is none.
"""
import contextlib
import io
import pathlib
import re
import sys
import unittest

try:
    import hone
except ImportError as error:
    print(f"skipped: no module hone ({error}); cmake -DHONE_PYTHON_MODULE=ON builds it")
    sys.exit(77)
try:
    import numpy
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


class Strings(unittest.TestCase):
    def test_lists_ladders_and_rungs(self):
        self.assertIn("matmul", hone.ladders())
        transpose = hone.ladder("transpose")
        self.assertEqual(transpose.title, "B = A^T in single precision")
        self.assertEqual([rung.name for rung in transpose][:2], ["naive", "tiled"])
        self.assertEqual(len(transpose), len(transpose.rungs))
        self.assertEqual(hone.rung("transpose/tiled").path, "transpose/tiled")

    def test_gives_what_becomes_of_a_rung(self):
        rung = hone.rung("matmul/bind")
        self.assertTrue(rung.loops(M=64).startswith("func matmul[N, K]("))
        self.assertIn("__global__", rung.cuda())
        self.assertTrue(rung.kernel().startswith("kernel matmul["))
        self.assertIn("s.bind(", rung.schedule())
        self.assertIn("Iterations of i and j may run at the same time", rung.dependences())
        self.assertIn("@@", hone.rung("matmul/shared-32").diff(rung))
        self.assertTrue(hone.rung("matmul/host").c().startswith("//"))

    def test_equals_what_the_command_prints(self):
        self.assertEqual(hone.rung("matmul/bind").cuda(),
                         hone.command("show", "matmul/bind", "--emit=cuda"))

    def test_counts_and_checks(self):
        rung = hone.rung("transpose/tiled")
        counters = rung.counters(M=64, N=33)
        self.assertEqual(counters["sizes"], {"M": 64, "N": 33})
        self.assertEqual(rung.check(M=7, N=5),
                         "transpose/tiled: no findings in 1 block of 256 threads\n")
        self.assertIn("race on tile", hone.rung("broken-transpose/1").check())
        self.assertIn("meet in a bank", hone.rung("broken-transpose/4").explain())

    def test_shows_itself_in_a_notebook(self):
        self.assertIn("<code>tiled</code>", hone.ladder("transpose")._repr_html_())
        tiled = hone.rung("transpose/tiled")
        self.assertIn("<pre>func transpose", tiled._repr_html_())
        self.assertTrue(tiled.question.endswith("turn a tile around?"))
        self.assertIn(f"<i>{tiled.question}</i></p><p>A block reads", tiled._repr_html_())
        self.assertEqual(hone.rung("transpose/naive").question, "")
        self.assertNotIn("<i>", hone.rung("transpose/naive")._repr_html_())
        self.assertIn("<pre>kernel matmul", hone.rung("broken-matmul/1")._repr_html_())
        self.assertNotIn("<M", hone.rung("transpose/tiled")._repr_html_())

    def test_draws(self):
        for what in ("threads", "lanes", "banks"):
            for drawing in hone.rung("transpose/tiled").draw(what):
                self.assertIn("<svg", drawing._repr_svg_()[:200])
        self.assertGreater(len(hone.rung("broken-transpose/4").draw("banks")), 0)

    def test_makes_pages(self):
        page = hone.ladder("combine").page()
        self.assertTrue(page.lower().startswith("<!doctype html>"))


class Arrays(unittest.TestCase):
    def test_runs_on_arrays_of_numpy(self):
        for m, n, k in ((1, 1, 1), (5, 7, 3), (33, 31, 65)):
            a = numpy.arange(m * k, dtype=numpy.float32).reshape(m, k) % 7
            b = numpy.arange(k * n, dtype=numpy.float32).reshape(k, n) % 5
            result = hone.rung("matmul/shared-32").run(A=a, B=b, device="sim") \
                if m % 32 == 0 else hone.rung("matmul/register-accumulate").run(
                    A=a, B=b, device="sim")
            self.assertEqual(result.sizes, {"M": m, "N": n, "K": k})
            numpy.testing.assert_array_equal(result["C"], a @ b)
            self.assertEqual(result.device, "sim")

    def test_takes_strides_and_leaves_inputs_alone(self):
        a = numpy.arange(12, dtype=numpy.float32).reshape(4, 3)
        before = a.copy()
        result = hone.rung("transpose/tiled").run(A=a, device="sim")
        numpy.testing.assert_array_equal(result["B"], a.T)
        numpy.testing.assert_array_equal(a, before)

    def test_results_go_on_as_inputs_without_a_copy(self):
        a = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        tiled = hone.rung("transpose/tiled")
        once = tiled.run(A=a, device="sim").arrays["B"]
        self.assertEqual(once.shape, (3, 2))
        self.assertEqual(once.dtype, "f32")
        self.assertEqual(once.__dlpack_device__(), (1, 0))
        numpy.testing.assert_array_equal(tiled.run(A=once, device="sim")["B"], a)

    def test_memory_outlives_its_owner(self):
        result = hone.rung("transpose/tiled").run(
            A=numpy.ones((3, 2), dtype=numpy.float32), device="sim")
        b = result["B"]
        del result
        self.assertEqual(b.sum(), 6)

    def test_a_capsule_that_nobody_takes_is_dropped(self):
        result = hone.rung("transpose/tiled").run(sizes={"M": 2, "N": 3}, device="sim")
        for _ in range(100):
            result.arrays["B"].__dlpack__()

    def test_takes_sizes_where_no_array_tells_them(self):
        result = hone.rung("matmul/bind").run(sizes={"M": 3, "N": 4, "K": 5}, device="sim")
        self.assertEqual(result["C"].shape, (3, 4))
        self.assertEqual(hone.rung("matmul/host").run(
            sizes={"M": 3, "N": 4, "K": 5}).device, "host")


class Guide(unittest.TestCase):
    def test_its_code_prints_what_stands_below(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/python.md"
        blocks = re.findall(r"^```(python|text)\n(.*?)^```$", page.read_text(encoding="utf-8"),
                            re.MULTILINE | re.DOTALL)
        names, printed, compared = {}, None, 0
        for language, text in blocks:
            if language == "text" and printed is None:
                continue  # how to build it
            if language == "text":
                self.assertEqual(printed, text)
                compared += 1
                continue
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(text, names)
            printed = out.getvalue()
        self.assertEqual(compared, 7)


MATMUL = "matmul(A: f32[M, K], B: f32[K, N]) -> C(i, j) = sum(k, A(i, k) * B(k, j))"


def tiled_product():
    """A schedule with every form of argument."""
    s = hone.Schedule(MATMUL)
    s.assume("N % 4 == 0")
    s.assume_aligned("B", 16)
    y, x, row, column = s.tile(["i", "j"], [16, 16], tail="pad", names=["y", "x", None, "column"])
    s.bind(y, "block.y")
    s.bind(x, "block.x")
    s.bind(row, "thread.y")
    s.bind(column, "thread.x")
    outer, inner = s.split("k", 16, tail="pad", names=[None, "step"])
    s.cache_shared("A", outer, layout="Layout().pad(1)")
    tile = s.cache_shared("B", outer, vectorize=4)
    s.layout(tile, "Layout().swizzle({.chunk = 4, .period = 4, .rows = 1})")
    s.cache_registers("C", column)
    s.unroll(inner)
    return s


class Schedules(unittest.TestCase):
    def test_have_the_steps_of_cpp(self):
        s = tiled_product()
        self.assertIn("auto [k_0, step] = s.split(k, 16, "
                      '{.tail = Tail::pad, .names = {nullptr, "step"}});', s.steps())
        again = hone.Schedule(MATMUL, s.steps())
        self.assertEqual(str(again), str(s))
        self.assertEqual(again.cuda(), s.cuda())

    def test_compute_what_numpy_computes(self):
        random = numpy.random.default_rng(7)
        a = random.random((33, 21), dtype=numpy.float32)
        b = random.random((21, 20), dtype=numpy.float32)
        result = tiled_product().run(A=a, B=b, device="sim")
        numpy.testing.assert_allclose(result["C"], a @ b, rtol=1e-5)

    def test_take_programs_with_named_values(self):
        s = hone.Schedule("squares(A: f32[N]) -> C(i) = let(twice, A(i) * 2) * twice + 1")
        block, thread = s.split("i", 32, names=["block", "thread"])
        s.bind(block, "block.x")
        s.bind(thread, "thread.x")
        self.assertIn("const float twice = A[", s.cuda())
        a = numpy.arange(37, dtype=numpy.float32)
        numpy.testing.assert_array_equal(s.run(A=a, device="sim")["C"], 4 * a * a + 1)

    def test_have_what_rungs_have(self):
        s = tiled_product()
        self.assertEqual(s.check(M=16, N=16, K=16),
                         "matmul/steps: no findings in 1 block of 256 threads\n")
        self.assertEqual(s.counters(M=16, N=16, K=16)["sizes"], {"M": 16, "N": 16, "K": 16})
        self.assertTrue(s.draw("threads", M=16, N=16, K=16)[0].startswith("<svg"))
        own = hone.Schedule("matmul/shared-32")
        self.assertEqual(own.steps(), "")
        own.bind("i", "block.x")
        self.assertIn("against matmul/shared-32", own.explain(M=8, N=8, K=8))

    def test_return_what_steps_make(self):
        s = hone.Schedule(MATMUL)
        self.assertEqual(s.split("i", 4), ("i.0", "i.1"))
        self.assertEqual(s.fuse("i.0", "i.1"), "i.0_i.1")
        self.assertEqual(s.fuse("i.0_i.1", "j", name="row"), "row")
        self.assertIsNone(s.may_alias())
        self.assertIn("cache_shared", dir(s))

    def test_name_instructions(self):
        s = hone.Schedule("product(A: i8[32, 64], B: i8[64, 16]) -> "
                          "C(i, j) = sum(k, i32(A(i, k)) * i32(B(k, j)))")
        y, x, row, column = s.tile(["i", "j"], [16, 8], names=["y", "x", "row", "column"])
        step, inner = s.split("k", 16, names=["step", "inner"])
        s.reorder([y, x, step, row, column, inner])
        s.bind(y, "block.x")
        s.bind(x, "warp")
        s.tensorize(row, "mma_m16n8k16_s8")
        loops = s.spread(["row.init", "column.init"], "mma_m16n8k16_s8", names=["half"])
        self.assertEqual(loops, ("half", "lane_row.init", "lane_column.init", "element.init"))
        s.cache_registers("C", x)
        s.cache_registers("A", step)
        s.cache_registers("B", step)
        random = numpy.random.default_rng(7)
        a = random.integers(-128, 128, (32, 64), dtype=numpy.int8)
        b = random.integers(-128, 128, (64, 16), dtype=numpy.int8)
        numpy.testing.assert_array_equal(s.run(A=a, B=b, device="sim")["C"],
                                         a.astype(numpy.int32) @ b.astype(numpy.int32))

    def test_stay_as_they_were_where_steps_are_refused(self):
        s = hone.Schedule(MATMUL)
        s.split("i", 4)
        before = str(s)
        with self.assertRaisesRegex(hone.ScheduleError, "axis i no longer exists"):
            s.unroll("i")
        with self.assertRaisesRegex(hone.ParseError, "no axis q; there are"):
            s.unroll("q")
        with self.assertRaisesRegex(AttributeError, "a schedule has no spilt"):
            s.spilt("j", 4)
        with self.assertRaisesRegex(hone.ParseError, "there is no tensor C"):
            hone.Schedule("f(A: f32[N]) -> B(i) = C(i)")
        self.assertEqual(str(s), before)


class Mistakes(unittest.TestCase):
    def test_names_that_do_not_exist(self):
        with self.assertRaisesRegex(hone.UsageError, "there is no ladder 'matmull'; did you mean"):
            hone.ladder("matmull")
        with self.assertRaisesRegex(hone.UsageError, "there is no rung 'bindd' in matmul"):
            hone.rung("matmul/bindd")
        with self.assertRaisesRegex(hone.UsageError, "there is no input 'X' in transpose"):
            hone.rung("transpose/tiled").run(X=numpy.ones((2, 2), dtype=numpy.float32))
        with self.assertRaisesRegex(hone.UsageError, "there is no size 'Q' in matmul"):
            hone.rung("matmul/bind").cuda(Q=3)

    def test_arrays_that_do_not_fit(self):
        tiled = hone.rung("transpose/tiled")
        with self.assertRaisesRegex(RuntimeError, "A holds f64"):
            tiled.run(A=numpy.ones((2, 2)), device="sim")
        with self.assertRaisesRegex(TypeError, "__dlpack__"):
            tiled.run(A=[[1.0]], device="sim")
        with self.assertRaisesRegex(RuntimeError, "A holds f32"):
            tiled.run(A=numpy.ones(4, dtype=numpy.float32), device="sim")

    def test_commands_that_fail(self):
        with self.assertRaises(hone.UsageError):
            hone.command("nonsense")
        with self.assertRaisesRegex(hone.HoneError, "cannot read /no/such"):
            hone.command("check", "transpose/tiled", "--kernel=/no/such")


if __name__ == "__main__":
    unittest.main()
