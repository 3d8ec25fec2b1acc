// The hone command in a test: two small ladders, and what a command line printed.
#pragma once

#include "gmock/gmock.h"
#include "tools/cli/command/command_line.h"

namespace hone {

/// Keeps what is written.
class CapturedOutput : public Output {
 public:
  explicit CapturedOutput(bool is_terminal = false) : is_terminal_(is_terminal) {}

  void print(std::string_view text) override { printed += text; }
  void complain(std::string_view text) override { complained += text; }
  bool is_terminal() const override { return is_terminal_; }

  std::string printed, complained;

 private:
  bool is_terminal_;
};

/// A size that is a constant where `fixed` has it.
inline Expr size_of(const Sizes& fixed, const char* name) {
  const auto found = fixed.find(name);
  return found == fixed.end() ? Expr(Param(name)) : Expr(found->second);
}

/// Z = 2 X + Y
struct Axpy {
  Expr N;
  Tensor X, Y, Z;
  Axis i;
  Program program;

  explicit Axpy(const Sizes& fixed)
      : N(size_of(fixed, "N")),
        X("X", f32, {N}),
        Y("Y", f32, {N}),
        Z("Z", f32, {N}),
        i("i", N),
        program("axpy", Z(i) = X(i) * 2.0 + Y(i)) {}
};

struct SmallMatmul {
  Expr M, N, K;
  Tensor A, B, C;
  Axis i, j;
  ReduceAxis k;
  Program program;

  explicit SmallMatmul(const Sizes& fixed)
      : M(size_of(fixed, "M")),
        N(size_of(fixed, "N")),
        K(size_of(fixed, "K")),
        A("A", f32, {M, K}),
        B("B", f32, {K, N}),
        C("C", f32, {M, N}),
        i("i", M),
        j("j", N),
        k("k", K),
        program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j))) {}
};

/// A rung that schedules a problem of type Problem with a callable.
template <class Problem, class Idea>
Rung make_rung(const char* name, const char* title, RungTarget target, Idea idea) {
  return {name, title, fmt::format("The idea of {}.", name), target,
          [idea](const Sizes& fixed, const Sizes&) {
            const Problem problem(fixed);
            Schedule s(problem.program);
            idea(s, problem);
            return s;
          }};
}

inline Ladder small_axpy() {
  Ladder ladder;
  ladder.name = "axpy";
  ladder.title = "Z = 2 X + Y";
  ladder.sizes = {{"N", 1000}};
  ladder.program = [](const Sizes& fixed) { return Axpy(fixed).program; };
  ladder.flops = [](const Sizes& sizes) { return 2.0 * sizes.at("N"); };
  ladder.bytes = [](const Sizes& sizes) { return 12.0 * sizes.at("N"); };
  ladder.rungs = {
      make_rung<Axpy>("serial", "one loop", RungTarget::host, [](Schedule&, const Axpy&) {}),
      make_rung<Axpy>("blocks", "one thread per element", RungTarget::gpu,
                      [](Schedule& s, const Axpy& p) {
                        auto [b, t] = s.split(p.i, 128);
                        s.bind(b, block.x);
                        s.bind(t, thread.x);
                      }),
  };
  return ladder;
}

inline Ladder small_matmul() {
  const auto threads = [](Schedule& s, const SmallMatmul& p) {
    auto [by, bx, ty, tx] = s.tile({p.i, p.j}, {4, 4});
    s.bind(by, block.y);
    s.bind(bx, block.x);
    s.bind(ty, thread.y);
    s.bind(tx, thread.x);
    return tx;
  };
  Ladder ladder;
  ladder.name = "matmul";
  ladder.title = "C = A B";
  ladder.sizes = {{"M", 6}, {"N", 5}, {"K", 7}};
  ladder.program = [](const Sizes& fixed) { return SmallMatmul(fixed).program; };
  ladder.rungs = {
      make_rung<SmallMatmul>("parallel", "rows on the cores", RungTarget::host,
                             [](Schedule& s, const SmallMatmul& p) { s.bind(p.i, parallel); }),
      make_rung<SmallMatmul>("threads", "one thread per element", RungTarget::gpu, threads),
      make_rung<SmallMatmul>(
          "register", "the sum in a register", RungTarget::gpu,
          [threads](Schedule& s, const SmallMatmul& p) { s.cache_registers(p.C, threads(s, p)); }),
  };
  ladder.rungs.back().builds_on = "threads";
  return ladder;
}

struct CommandResult {
  int status;
  std::string printed, complained;
};

inline CommandResult hone_on(const std::vector<Ladder>& ladders, std::vector<std::string> words,
                             bool is_terminal = false) {
  CapturedOutput out(is_terminal);
  const int status = run_command(words, ladders, out);
  return {status, out.printed, out.complained};
}

/// Runs a command line on axpy and matmul.
inline CommandResult hone(std::vector<std::string> words) {
  return hone_on({small_axpy(), small_matmul()}, std::move(words));
}

/// Expects that the command line is refused with status 2 and this error.
inline void expect_usage_error(std::vector<std::string> words, const std::string& error) {
  const CommandResult result = hone(std::move(words));
  EXPECT_EQ(result.complained, "error: " + error + "\n");
  EXPECT_EQ(result.printed, "");
  EXPECT_EQ(result.status, 2);
}

/// Expects that the command fails with status 1 and this error, and prints nothing else.
inline void expect_failure(std::vector<std::string> words, const std::string& error) {
  const CommandResult result = hone(std::move(words));
  EXPECT_EQ(result.complained, "error: " + error + "\n");
  EXPECT_EQ(result.printed, "");
  EXPECT_EQ(result.status, 1);
}

/// A row of measured figures, as `hone ladder --json` prints it.
inline std::string figure_row(const std::string& rung, const std::string& device,
                              double milliseconds, int64_t n) {
  return fmt::format(
      R"({{"ladder": "axpy", "rung": "{}", "device": "{}", "device_name": "NVIDIA H200",
           "driver": "580.95.05, for CUDA 13.0", "nvrtc": "13.0", "date": "2026-11-23",
           "sizes": {{"N": {}}}, "milliseconds": {}, "gflops": {}, "gb_per_s": {}}})",
      rung, device, n, milliseconds, 2e-6 * n / milliseconds, 12e-6 * n / milliseconds);
}

}  // namespace hone
