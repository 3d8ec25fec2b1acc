// Lesson 13: a ladder of one's own.
//
// A ladder is a list of rungs: schedules of one program, each a step further, with a title and an
// idea. Any program that hands its ladders to `run_command` has the commands of hone for them:
// list, show, diff, check, counters, explain, run, export, and the table of speeds. This lesson
// builds one for the sums of columns; `examples/template` is a project like it.

#include "dsl/schedule.h"
#include "examples/lessons/measure.h"
#include "tools/cli/command/command_line.h"
#include "tools/cli/ladder.h"

using namespace hone;

/// The program, and the handles that its schedules need. Sizes in `fixed` are constants.
struct ColumnSums {
  Expr M, N;
  Tensor A, S;
  Axis j;
  ReduceAxis k;
  Program program;

  explicit ColumnSums(const Sizes& fixed)
      : M(size_or_param(fixed, "M")),
        N(size_or_param(fixed, "N")),
        A("A", f32, {M, N}),
        S("S", f32, {N}),
        j("j", N),
        k("k", M),
        program("column_sums", S(j) = sum(k, A(k, j))) {}
};

/// A rung is a function over a schedule. Rungs share parts by plain functions.
Axis columns(Schedule& s, const ColumnSums& p) {
  auto [b, t] = s.split(p.j, 32);
  s.bind(b, block.x);
  s.bind(t, thread.x);
  return t;
}

void per_column(Schedule& s, const ColumnSums& p) { columns(s, p); }

void in_register(Schedule& s, const ColumnSums& p) { s.cache_registers(p.S, columns(s, p)); }

/// Eight threads share a column, and combine their sums in shared memory.
void eight_rows(Schedule& s, const ColumnSums& p) {
  columns(s, p);
  auto [turn, row] = s.split(p.k, 8);
  s.reorder({row, turn});
  s.bind(row, thread.y, Combine::sequential);
}

Ladder column_sums_ladder() {
  const RungMaker<ColumnSums> rung(
      [](const Sizes& fixed, const Sizes&) { return ColumnSums(fixed); });
  Ladder ladder;
  ladder.name = "columns";
  ladder.title = "the sum of each column of a matrix";
  ladder.sizes = {{"M", 4096}, {"N", 4096}};
  ladder.program = [](const Sizes& fixed) { return ColumnSums(fixed).program; };
  ladder.bytes = [](const Sizes& sizes) { return 4.0 * sizes.at("M") * sizes.at("N"); };
  ladder.rungs = {
      rung("per-column", "a thread per column",
           "Neighbouring threads read neighbours. Each addition loads the sum and stores it.",
           per_column),
      rung("in-register", "the sum in a register",
           {"Each addition loads the sum and stores it. Where could it lie until it is complete?",
            "One store per column is left."},
           in_register, {.builds_on = "per-column"}),
      rung("eight-rows", "eight threads per column",
           {"A narrow matrix has few columns, and so few threads. How can more loads be in flight?",
            "Eight threads share a column, and have eight times the loads in flight."},
           eight_rows, {.builds_on = "in-register"}),
  };
  return ladder;
}

/// The command line of `int main(argc, argv)` in a program of one's own, command by command.
void hone_command(const std::vector<std::string>& words) {
  StandardOutput out;
  if (run_command(words, {column_sums_ladder()}, out, "columns") != 0) std::exit(EXIT_FAILURE);
}

void count_rungs();

int main() {
  // Each rung against the program, by the rules of a GPU.
  hone_command({"check", "columns", "-D", "M=50", "-D", "N=70"});
  //| columns/per-column: no findings in 3 blocks of 32 threads
  //| columns/in-register: no findings in 3 blocks of 32 threads
  //| columns/eight-rows: no findings in 3 blocks of 256 threads

  // A rung against the one it builds on, loops against loops.
  hone_command({"diff", "columns/in-register", "--emit=loops"});
  //| --- columns/per-column
  //| +++ columns/in-register
  //| @@ -2,10 +2,12 @@
  //|    for j.0 in 0..(N + 31) / 32 @block.x {
  //|      for j.1 in 0..32 @thread.x {
  //|        if (j.0*32 + j.1 < N) {
  //| -        S[j.0*32 + j.1] = 0.0
  //| +        alloc S.reg: f32[] @registers
  //| +        S.reg[] = 0.0
  //|          reduce k in 0..M {
  //| -          S[j.0*32 + j.1] += A[k, j.0*32 + j.1]
  //| +          S.reg[] += A[k, j.0*32 + j.1]
  //|          }
  //| +        S[j.0*32 + j.1] = S.reg[]
  //|        }
  //|      }
  //|    }

  count_rungs();
}

void count_rungs() {
  // The numbers that change from rung to rung. `explain columns` would say it in words.
  const ColumnSums problem({});
  for (const auto& schedule : {per_column, in_register, eight_rows}) {
    Schedule s(problem.program);
    schedule(s, problem);
    try_out(problem.program, s, {{"M", 50}, {"N", 70}});
  }
  //| M=50 N=70: right results, no findings
  //|   global store  S             153 requests, 3 sectors each
  //|   global load   A             150 requests, 3.66 sectors each
  //|   global load   S             150 requests, 3 sectors each
  //| M=50 N=70: right results, no findings
  //|   global load   A             150 requests, 3.66 sectors each
  //|   global store  S               3 requests, 3 sectors each
  //| M=50 N=70: right results, no findings
  //|   global store  S               6 requests, 3 sectors each
  //|   global load   A             150 requests, 3.66 sectors each
  //|   shared store  S.tree         45 requests, 1 wavefront each
  //|   shared load   S.tree         45 requests, 1 wavefront each
  //|   global load   S               3 requests, 3 sectors each
}

// Exercises:
//   hone exercise 13.1    a ladder of three rungs
//   hone exercise 13.2    a ladder that climbs
