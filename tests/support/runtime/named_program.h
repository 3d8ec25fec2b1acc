// Small programs of several kinds whose names are all given: what their text calls stands in the
// same text as these names.
#pragma once

#include <string>
#include <vector>

#include "dsl/schedule.h"

namespace hone {

struct ProgramNames {
  std::string program = "plain", input = "A", output = "C", rows = "n", row = "i", column = "k";
  std::string combine = "own";  ///< the operator
};

/// Rows of 8 elements become an element each, by functions of all kinds, in `kind_count` ways, the
/// last of which is simple. Arguments are the input, `f32[rows, 8]`, and the output.
Schedule named_schedule(int kind, const ProgramNames& names);
constexpr int kind_count = 9;
constexpr int simple_kind = kind_count - 1;

/// The bytes of the output for three rows, on the simulated device and as a function in C whose
/// arguments are those of the program.
using RowFunction = void(const float* input, void* output, long rows);
std::vector<std::byte> output_on_sim(const Schedule& schedule);
std::vector<std::byte> output_of(RowFunction* function, const Schedule& schedule);

/// The CUDA text of all kernels, and the C text.
std::string cuda_text(const Schedule& schedule);
std::string c_text(const Schedule& schedule);

}  // namespace hone
