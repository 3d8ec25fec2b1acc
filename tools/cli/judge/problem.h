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

/// The random values in the place of floats.
enum class Elements : uint8_t {
  few_digits,  ///< multiples of 1/128, whose sums are exact as long as they are short
  repeated,    ///< the first 65536 of these again and again, which takes a fraction of the time
  sampled,     ///< the same, in memory that is taken where it is touched
  all_digits,  ///< of which each order of a sum rounds others off
  ring,        ///< elements of a ring, whose sums are equal in any order: ir/scalar/ring.h
};

/// The ring with "--ring". Throws UsageError where the device is not the simulated one.
Elements chosen_elements(const Arguments& arguments, const Device& device);

struct Problem {
  Sizes sizes;
  std::vector<Argument> arguments;
  bool is_random = true;  ///< all inputs are
  Elements elements = Elements::few_digits;
};

/// The results of a program, by the tensor's name: row-major arrays on the host.
using Results = std::map<std::string, AnyArray, std::less<>>;

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
/// Random floats are uniform over [-1, 1). Those of few digits are multiples of 1/128, so that sums
/// of them and of their products are exact in f32, in any order, as long as they stay below 2^10.
/// Random integers are uniform over -8..7, of u8 over 0..15, elements of a ring over all of it.
/// Those that are indices, as in `table(place(i))`, are uniform over the dimension, where some of
/// these lie outside.
Problem make_problem(const Function& program, const Sizes& sizes, const InputFiles& inputs,
                     uint64_t seed, Elements elements = Elements::few_digits);

/// The same with Elements::repeated, for runs whose results nobody looks at.
Problem make_timed_problem(const Function& program, const Sizes& sizes, uint64_t seed);

/// For runs of at most so many blocks, 0 being all. Those of some blocks touch little of large
/// arrays, and have Elements::sampled. Their outputs begin as zeros, and nobody is told which
/// elements are unwritten.
Problem make_problem_of_blocks(const Function& program, const Sizes& sizes, uint64_t seed,
                               int64_t most_blocks);

/// The bytes of an element of an output are as arrays_on() leaves them: nothing has written it, or
/// a NaN from there has come back.
bool is_unwritten(const AnyArray& array, int64_t position);

/// The arrays of `problem` in the order of the function's arguments, on a device. Throws
/// RuntimeError for an argument that the problem lacks.
std::vector<AnyArray> arrays_on(const Device& device, const Function& function,
                                const Problem& problem);

}  // namespace hone
