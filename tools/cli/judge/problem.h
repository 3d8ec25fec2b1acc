// The data of a run: sizes, and an array on the host for each argument of a program.
#pragma once

#include "runtime/array.h"
#include "tools/cli/judge/selection.h"

namespace hone {

/// An array that a user brings for an input.
struct InputFile {
  std::string path;
  AnyArray array;
};
using InputFiles = std::map<std::string, InputFile, std::less<>>;  ///< by the tensor's name

struct Argument {
  TensorPtr tensor;
  AnyArray array;
  bool is_input = false, is_output = false;  ///< both, where the program updates it in place
};

struct Problem {
  Sizes sizes;
  std::vector<Argument> arguments;
  bool is_random = true;  ///< all inputs are
};

/// The arguments that the program writes.
std::vector<TensorPtr> outputs_of(const Function& program);

/// The arguments that come with values: the program reads them, or updates them in place.
std::vector<TensorPtr> inputs_of(const Function& program);

std::vector<std::string> names_of(llvm::ArrayRef<TensorPtr> tensors);

/// "f32[M, K] @pitch(lda)"
std::string type_text(const TensorNode& tensor);

/// Reads the files of the options "--input TENSOR=FILE.npy". Throws UsageError for a tensor that is
/// no input, RuntimeError for a file that does not hold its type and rank.
InputFiles read_inputs(const Arguments& arguments, const Function& program);

/// The sizes that the shapes of the inputs give; where two disagree, that of the first tensor.
Sizes sizes_of(const InputFiles& inputs, const Function& program);

/// `sizes`, and where they lack the pitch of an argument, the least multiple of 32 elements that is
/// longer than its row.
Sizes with_pitches(const Function& program, Sizes sizes);

/// The program's arguments for these sizes and the pitches that go with them: inputs as given, else
/// random, the same for the same seed; other outputs, and gaps between rows, hold values that no
/// program computes. Throws RuntimeError if the shape of a file is not that of its tensor, or a
/// pitch is less than a row.
///
/// Random floats are uniform over the multiples of 1/128 in [-1, 1), so that sums of them and of
/// their products are exact in f32, in any order, as long as they stay below 2^10. Random integers
/// are uniform over -8..7, of u8 over 0..15.
Problem make_problem(const Function& program, const Sizes& sizes, const InputFiles& inputs,
                     uint64_t seed);

/// The same for runs whose results nobody looks at: the first 65536 random elements of an input
/// repeat, which takes a fraction of the time.
Problem make_timed_problem(const Function& program, const Sizes& sizes, uint64_t seed);

/// The bytes of an element of an output are as arrays_on() leaves them: nothing has written it, or
/// a NaN from there has come back.
bool is_unwritten(const AnyArray& array, int64_t position);

/// The arrays of `problem` in the order of the function's arguments, on a device. Throws
/// RuntimeError for an argument that the problem lacks.
std::vector<AnyArray> arrays_on(const Device& device, const Function& function,
                                const Problem& problem);

}  // namespace hone
