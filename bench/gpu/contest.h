// Contests: the ladders, problems to run them at, hand-written kernels, and the right results.
#pragma once

#include <map>
#include <optional>

#include "bench/handwritten/handwritten.h"
#include "tools/cli/ladder.h"

namespace hone {

/// The inputs on the host, as they lie in memory, by name; integers and doubles as floats.
using HostTensors = std::map<std::string, std::vector<float>, std::less<>>;

/// The work of a contest that a library does, too.
enum class LibraryWork {
  none,
  sum,                 ///< of A
  product,             ///< C = A B, row-major
  transposed_product,  ///< C = A B^T, row-major
  scaled_product,      ///< C = A_scale B_scale A B^T, row-major: of cuBLASLt alone
  activated_product,   ///< C = gelu(A B + bias), row-major: of cuBLASLt alone
};

struct Contest {
  std::string name;  ///< of the ladder
  /// Empty where the examples have no such ladder.
  std::optional<Ladder> ladder = std::nullopt;
  /// No kernels where rungs are compared with libraries alone.
  std::vector<HandwrittenKernel> (*handwritten)(const Sizes& sizes) = nullptr;

  /// The sizes where the user gives one number: a square, or a line.
  Sizes (*sizes)(int64_t length) = nullptr;
  std::vector<Sizes> problems = {};        ///< of a full run
  std::vector<Sizes> quick_problems = {};  ///< of a quick one
  std::vector<Sizes> edge_problems = {};   ///< small ones that no tile divides

  std::vector<std::string> inputs = {};
  /// A float type, or u8 or i8 with any values.
  DType input_type = DType::f32;
  /// Inputs of f32, by which products are multiplied.
  std::vector<std::string> scales = {};
  /// Inputs of i32 in ascending order, which are less than the size of that name.
  std::map<std::string, std::string> indices = {};
  LibraryWork library_work = LibraryWork::none;
  /// Inputs are not negative: a sum of them is as exact as its terms.
  bool positive = false;
  std::string output = {};
  /// f64, f32, f16 or bf16; or i32, or f32_i32, which have to be exact.
  DType output_type = DType::f32;
  /// Elements that a tensor takes in memory.
  int64_t (*elements)(const std::string& tensor, const Sizes& sizes) = nullptr;
  /// A number of the output, computed in double precision: an element, or one half of a pair. The
  /// numbers of pair e are 2e and 2e + 1.
  double (*reference)(const HostTensors& inputs, const Sizes& sizes, int64_t number) = nullptr;
  /// The number of numbers that are compared with that, beside the first and the last; or all.
  int samples = 2000;
  /// True if a number of the output lies between its rows and must stay as it is. Null: none.
  bool (*is_padding)(const Sizes& sizes, int64_t number) = nullptr;

  /// Of a launch: floating-point operations, or bytes that must move where memory is the limit.
  double (*work)(const Sizes& sizes) = nullptr;
  /// Times are compared as bytes per second, and no launch may find its data in the L2 cache.
  bool memory_bound = false;
  /// Milliseconds of a burst of launches where back-to-back ones reach the power limit of the GPU;
  /// 0 elsewhere.
  double burst_milliseconds = 0;

  DType type_of_input(const std::string& name) const;
  /// The largest relative error, ||x - y|| / ||y||, of a right result.
  double tolerance(const Sizes& sizes) const;
};

/// Contests for all hand-written kernels, and for the ladders that only libraries compete with.
std::vector<Contest> all_contests();

/// "1024" for M = N = K = 1024, "16384x8192" for M = 16384 and N = 8192. Strides are left out.
std::string describe(const Sizes& sizes);

// The parts of all_contests().
std::vector<Contest> matmul_contests();
std::vector<Contest> batched_contests();
std::vector<Contest> image_contests();
Contest combine_contest();
Contest transpose_contest();
std::vector<Contest> reduction_contests();

// Contests of one product M x N x K of row-major matrices, and helpers for those of many.
Contest product_contest();  ///< of f32
Contest hgemm_contest();    ///< of bf16
Sizes square(int64_t length);
double operations(const Sizes& sizes);
int64_t elements(const std::string& tensor, const Sizes& sizes);

/// A vector in memory: every `stride`-th element from `first` on.
struct Strided {
  const std::vector<float>& elements;
  int64_t first, stride;
};
double dot(const Strided& lhs, const Strided& rhs, int64_t length);

}  // namespace hone
