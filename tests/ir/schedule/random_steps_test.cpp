// Random steps on programs of many shapes: what is accepted computes the same values.
#include <random>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/analysis/site.h"
#include "ir/schedule/text/step_printer.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace random_steps_test {

constexpr int seeds = 250;

constexpr const char* programs[] = {
    R"(func matmul[N](A: f32[N, 6], B: f32[6, 5], C: f32[N, 5]) {
      for i in 0..N { for j in 0..5 {
        C[i, j] = 0.0
        reduce k in 0..6 { C[i, j] += A[i, k] * B[k, j] }
      } }
    })",
    R"(func epilogue[N](A: f32[N, 4], C: f32[N, 4], D: f32[N, 4], R: f32[N]) {
      for i in 0..N {
        R[i] = 0.0
        for j in 0..4 {
          C[i, j] = 0.0
          reduce k in 0..4 { C[i, j] += A[i, k] * A[i, j] }
          D[i, j] = max(C[i, j], 0.0)
          R[i] += C[i, j]
        }
        R[i] *= 2.0
      }
    })",
    R"(func stencil(A: f32[7, 10]) {
      for t in 0..6 { for i in 0..8 { A[t + 1, i + 1] = A[t, i] + A[t, i + 2] } }
    })",
    R"(func in_place(A: f32[9, 9]) {
      for i in 0..8 { for j in 0..8 { A[i, j] = A[i + 1, j] + A[i, j + 1] } }
    })",
    R"(func anti_diagonal(A: f32[9, 9]) {
      for i in 0..8 { for j in 0..8 { A[i + 1, j] = A[i, j + 1] } }
    })",
    R"(func shared_scalar(A: f32[6, 4], C: f32[6], S: f32[1]) {
      for i in 0..6 { S[0] = 0.0 reduce k in 0..4 { S[0] += A[i, k] } C[i] = S[0] }
    })",
    R"(func row_buffer[N](A: f32[N, 4, 3], S: f32[4], C: f32[N, 4]) {
      for i in 0..N { for j in 0..4 {
        S[j] = 0.0
        reduce k in 0..3 { S[j] += A[i, j, k] }
        C[i, j] = S[j]
      } }
    })",
    R"(func histogram(A: f32[6, 8], C: f32[13]) {
      for i in 0..6 { for j in 0..8 { C[i + j] += A[i, j] } }
    })",
    R"(func guarded(A: f32[8], C: f32[8, 4], D: f32[8, 4]) {
      for i in 0..8 { if (A[i] > 0.0) { for j in 0..4 { C[i, j] = A[i] D[i, j] = C[i, 3 - j] } } }
    })",
    R"(func guard_changes(A: f32[8], C: f32[8, 4]) {
      for i in 0..8 { if (A[i] > 0.0) { for j in 0..4 { C[i, j] = A[i] A[i] = A[i] - 1.0 } } }
    })",
    R"(func flat[N](A: f32[N*6], C: f32[N*6]) {
      for i in 0..N { for j in 0..6 { C[i*6 + j] = A[i*6 + 5 - j] } }
    })",
    R"(func interleaved(C: f32[40]) {
      for i in 0..8 { for t in 0..2 { for j in 0..2 { C[i*4 + j*2 + t] += 1.0 } } }
    })",
    R"(func narrow(C: f32[32], D: f32[8]) {
      for i in 0..8 { for j in 0..4 { if (i*4 + j < 30) { C[i*4 + j] = 2.0 } } D[i] = 1.0 }
    })",
    R"(func triangle(A: f32[8, 8], C: f32[8]) {
      for i in 0..8 { C[i] = 0.0 reduce k in 0..8 { if (k <= i) { C[i] += A[i, k] } } }
    })",
    R"(func two_kinds(A: f32[5, 6], C: f32[5]) {
      for i in 0..5 { reduce k in 0..6 { C[i] += A[i, k] C[i] max= 1.0 } }
    })",
    R"(func staged[N](A: f32[N, 8], B: f32[8, 4], C: f32[N, 4]) where N % 2 == 0 {
      for i.0 in 0..(N + 3) / 4 @block.x {
        for i.1 in 0..4 @thread.x {
          reduce k.0 in 0..2 {
            alloc A.shared: f32[4, 4] @shared
            copy A.shared[0 .. +4, 0 .. +4] <- A[i.0*4 .. +4, k.0*4 .. +4]
            reduce k.1 in 0..4 { for j in 0..4 {
              if (i.0*4 + i.1 < N) { C[i.0*4 + i.1, j] += A.shared[i.1, k.1] * B[k.0*4 + k.1, j] }
            } }
          }
        }
      }
    })",
    R"(func rows(A: f32[6, 8], C: f32[8, 6]) {
      for i in 0..6 { for j in 0..8 { C[j, i] = A[i, j] * 2.0 } }
    })",
    R"(func fused[N](C: f32[N*3, 4]) {
      for f in 0..N*12 { C[f / 4, f % 4] = 1.0 }
    })",
};

/// Draws steps and applies those that are not refused.
class RandomSchedule {
 public:
  RandomSchedule(llvm::StringRef program, int seed)
      : before_(parse_function(program)), function_(before_), printer_(before_), random_(seed) {}

  void run(int steps) {
    for (int n = 0; n < steps; ++n) try_step();
    expect_same_values(before_, function_);
    if (testing::Test::HasFailure()) ADD_FAILURE() << trace_;
  }

  int accepted() const { return accepted_; }

 private:
  int draw(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  AxisPtr draw_axis() {
    const auto loops = loops_of(function_.body);
    return loops[draw(static_cast<int>(loops.size()))]->axis;
  }

  /// Mostly an axis inside `axis`, so that there is something to fuse and to reorder.
  AxisPtr draw_axis_under(const AxisPtr& axis) {
    const auto loops = loops_of(find_site(function_, axis.get())->loop().body);
    if (loops.empty()) return draw_axis();
    return loops[draw(static_cast<int>(loops.size()))]->axis;
  }

  Expr draw_factor() { return Expr(1 + draw(5)); }

  Binding draw_binding() {
    constexpr Binding::Kind kinds[] = {Binding::Kind::block, Binding::Kind::thread,
                                       Binding::Kind::thread, Binding::Kind::parallel};
    const Binding::Kind kind = kinds[draw(4)];
    return {kind, static_cast<uint8_t>(kind == Binding::Kind::parallel ? 0 : draw(2)), 0};
  }

  /// An argument, or a tile that a step has made.
  TensorPtr draw_tensor() {
    llvm::SmallVector<TensorPtr, 4> tiles;
    walk(function_.body, [&](const Stmt& stmt) {
      if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) tiles.push_back(alloc->tensor);
    });
    if (!tiles.empty() && draw(3) > 0) return tiles[draw(static_cast<int>(tiles.size()))];
    return before_.arguments[draw(static_cast<int>(before_.arguments.size()))];
  }

  Layout draw_layout(const TensorNode& tensor) {
    Layout layout;
    if (tensor.rank() == 2 && draw(2)) layout = Layout::column_major();
    if (draw(2)) layout = layout.pad(1 + draw(4));
    if (draw(3) == 0) layout = layout.swizzle({.chunk = 1 << draw(2), .period = 2 << draw(2)});
    return layout;
  }

  /// The promise of an even number of rows, which half of all sizes keep.
  Expr draw_promise() {
    if (before_.params.empty()) return true;
    return ParamRef::make(before_.params[0]) % 2 == 0;
  }

  void draw_memory(Step& step) {
    step.tensor = draw_tensor();
    if (draw(4) == 0) step.layout = draw_layout(*step.tensor);
    step.direction = draw(3) ? Direction::fill : Direction::write_back;
  }

  std::string new_name() { return fmt::format("axis_{}", ++names_); }

  static bool takes_names(llvm::StringRef primitive) {
    return primitive.startswith("split") || primitive == "tile" || primitive == "fuse";
  }

  Step draw_step() {
    constexpr const char* primitives[] = {
        "split",        "split",        "split_into",      "tile",
        "fuse",         "fuse",         "reorder",         "reorder",
        "reorder",      "fission",      "merge",           "bind",
        "bind",         "unroll",       "rename",          "write_out",
        "vectorize",    "vectorize",    "cache_registers", "cache_registers",
        "cache_shared", "cache_shared", "cache_shared",    "copy_loops",
        "copy_loops",   "layout",       "assume",          "assume_aligned",
        "swizzle"};
    Step step(find_primitive(primitives[draw(std::size(primitives))]));
    const std::string_view name = step.primitive->name;
    step.axes.push_back(draw_axis());
    if (llvm::StringRef("tile fuse reorder merge").contains(name))
      step.axes.push_back(draw_axis_under(step.axes[0]));
    if (name == "reorder") {
      if (draw(2)) step.axes.push_back(draw_axis_under(step.axes[1]));
      std::shuffle(step.axes.begin(), step.axes.end(), random_);
    }
    step.factors = {draw_factor(), draw_factor()};
    if (name != "tile") step.factors.pop_back();
    if (name == "assume") step.factors = {draw_promise()};
    step.tail = std::array{Tail::guard, Tail::guard, Tail::peel, Tail::exact, Tail::pad}[draw(5)];
    step.binding = draw_binding();
    step.count = name == "assume_aligned" ? 8 : draw(3);
    step.name = new_name();
    if (draw(3) == 0 && takes_names(name)) step.names = {new_name()};
    draw_memory(step);
    return step;
  }

  void try_step() {
    const size_t loops = loops_of(function_.body).size();
    if (loops == 0 || loops > 24) return;
    const Step step = draw_step();
    try {
      const Rewrite result = apply(function_, step);
      trace_ += printer_.print(step, result) + "\n";
      function_ = result.function;
      ++accepted_;
    } catch (const ScheduleError&) {
    }
  }

  const Function before_;
  Function function_;
  StepPrinter printer_;
  std::mt19937 random_;
  std::string trace_;
  int names_ = 0, accepted_ = 0;
};

class RandomSteps : public testing::TestWithParam<const char*> {};

TEST_P(RandomSteps, KeepTheValues) {
  int accepted = 0;
  for (int seed = 0; seed < seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomSchedule schedule(GetParam(), seed);
    schedule.run(12);
    accepted += schedule.accepted();
  }
  EXPECT_GT(accepted, seeds) << "nearly all steps are refused";
}

std::string name_of(const testing::TestParamInfo<const char*>& info) {
  return parse_function(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Programs, RandomSteps, testing::ValuesIn(programs), name_of);

}  // namespace random_steps_test
}  // namespace hone
