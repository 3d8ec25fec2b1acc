// The C that Hone generates against hand-written C of the same idea, on the cores of this machine,
// side by side: compiled by the same compiler with the same options, in turn, on the same arrays.
//
//   host_bench                      every rung that runs on the CPU, at the sizes of its ladder
//   host_bench --rung=matmul/host   one of them
//   host_bench --size=333           every size is 333
//
// The exit status says whether all results are right. Speed is reported, not judged.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "bench/handwritten/host.h"
#include "examples/ladders/ladders.h"
#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/compile.h"
#include "runtime/host_compiler.h"
#include "tools/cli/judge/trial.h"

namespace hone {
namespace {

using Hand = void(void* const* tensors, const int64_t* sizes);

/// A function that takes its arguments from arrays.
Hand* compile_hand(const HandwrittenC& written) {
  std::vector<std::string> arguments;
  for (size_t t = 0; t < written.tensors.size(); ++t)
    arguments.push_back(fmt::format("tensors[{}]", t));
  for (size_t s = 0; s < written.sizes.size(); ++s)
    arguments.push_back(fmt::format("sizes[{}]", s));
  const std::string source =
      fmt::format("{}\nvoid call(void* const* tensors, const long* sizes) {{ hand({}); }}\n",
                  written.source, fmt::join(arguments, ", "));
  return host_compile({source, "hand", {}}).function<Hand>("call");
}

double seconds_of(llvm::function_ref<void()> run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Rounds {
  std::vector<double> hone, hand, ratio;  ///< seconds, and hand over hone, of a round
};

/// Runs both in turn, in random order, for about two seconds, and at least five times.
Rounds time_in_turn(llvm::function_ref<void()> hone, llvm::function_ref<void()> hand) {
  std::mt19937 random(1);
  Rounds rounds;
  double spent = 0;
  while (rounds.hone.size() < 5 || (spent < 2 && rounds.hone.size() < 101)) {
    const bool is_hone_first = random() % 2 == 0;
    const double first = seconds_of(is_hone_first ? hone : hand);
    const double second = seconds_of(is_hone_first ? hand : hone);
    rounds.hone.push_back(is_hone_first ? first : second);
    rounds.hand.push_back(is_hone_first ? second : first);
    rounds.ratio.push_back(rounds.hand.back() / rounds.hone.back());
    spent += first + second;
  }
  return rounds;
}

double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  return values[std::lround(fraction * static_cast<double>(values.size() - 1))];
}

/// Hone's kernel and the hand-written function, each with arrays of its own.
struct Pair {
  Pair(const RungRef& rung, const HandwrittenC& written, const Problem& problem)
      : schedule(rung.rung->build({}, problem.sizes)),
        kernel(compile(schedule.function(), {.device = Device::host()})),
        arrays(arrays_on(Device::host(), schedule.function(), problem)),
        others(arrays_on(Device::host(), schedule.function(), problem)),
        hand(compile_hand(written)) {
    for (const std::string& name : written.tensors) pointers.push_back(array_of(name).data());
    for (const std::string& name : written.sizes) sizes.push_back(problem.sizes.at(name));
  }

  AnyArray& array_of(const std::string& name) {
    const auto is_named = [&](const TensorPtr& tensor) { return tensor->name == name; };
    const auto& tensors = schedule.function().arguments;
    return others[static_cast<size_t>(llvm::find_if(tensors, is_named) - tensors.begin())];
  }

  Schedule schedule;
  Kernel kernel;
  std::vector<AnyArray> arrays, others;
  Hand* hand;
  std::vector<void*> pointers;
  std::vector<int64_t> sizes;
};

/// Prints a line of the table; true where both sides compute what is expected.
bool compete(const RungRef& rung, const HandwrittenC& written, const Sizes& problem_sizes) {
  const Problem problem = make_problem(program_for(rung, problem_sizes), problem_sizes, {}, 1);
  Pair pair(rung, written, problem);
  const auto run_hone = [&] { pair.kernel.run(pair.arrays, problem.sizes); };
  const auto run_hand = [&] { pair.hand(pair.pointers.data(), pair.sizes.data()); };
  run_hone();
  run_hand();
  const auto& tensors = pair.schedule.function().arguments;
  StandardOutput out;
  const ExpectedResults expected = expected_results(*rung.ladder, problem, out);
  Verdict verdict = compare(outputs_among(pair.arrays, tensors, problem), expected);
  const Verdict of_hand = compare(outputs_among(pair.others, tensors, problem), expected);
  if (verdict.mismatch.empty()) verdict.mismatch = of_hand.mismatch;
  const Rounds rounds = time_in_turn(run_hone, run_hand);
  fmt::print("{:<30} {:>10.3f} {:>10.3f} {:>6.3f} ({:.3f} to {:.3f}, {} rounds) {}\n", rung.name(),
             1e3 * quantile(rounds.hone, 0.5), 1e3 * quantile(rounds.hand, 0.5),
             quantile(rounds.ratio, 0.5), quantile(rounds.ratio, 0.1), quantile(rounds.ratio, 0.9),
             rounds.ratio.size(),
             verdict.mismatch.empty() ? deviation_text(verdict) : verdict.mismatch);
  std::fflush(stdout);
  return verdict.mismatch.empty();
}

constexpr Option options[] = {
    {"--rung", "LADDER/RUNG", "this one; can be repeated", true},
    {"--size", "N", "of every dimension; default: the sizes of the ladder"},
};

Sizes sizes_of(const Ladder& ladder, const std::optional<std::string>& asked) {
  Sizes sizes = ladder.sizes;
  int64_t size = 0;
  if (asked && (llvm::StringRef(*asked).getAsInteger(10, size) || size < 1))
    throw UsageError("--size: '{}' is not a positive integer", *asked);
  if (asked)
    for (auto& [name, value] : sizes) value = size;
  return sizes;
}

int run(const Arguments& arguments) {
  const std::vector<Ladder> ladders = all_ladders();
  const std::vector<std::string> chosen = arguments.values("--rung");
  fmt::print("{} threads, compiled by {}\n", std::thread::hardware_concurrency(),
             host_compiler().command.front());
  fmt::print("{:<30} {:>10} {:>10} {:>6}\n", "rung", "Hone, ms", "by hand", "ratio");
  bool passed = true;
  for (const HandwrittenC& written : handwritten_c()) {
    if (!chosen.empty() && !llvm::is_contained(chosen, written.rung)) continue;
    const RungRef rung = find_rung(ladders, written.rung);
    passed &= compete(rung, written, sizes_of(*rung.ladder, arguments.value("--size")));
  }
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    return hone::run(hone::Arguments(words, hone::options));
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
