// How far rounding may take a program's results: computed beside the results themselves, in f64.
#pragma once

#include <map>

#include "ir/core/stmt.h"
#include "ir/interpret/buffer.h"

namespace hone {

/// The forms of a tensor in a program that bounds its errors. Floats are f64, in tuples as well.
struct BoundedTensor {
  TensorPtr values = nullptr;
  /// By component, each an f64 for each element; null where the component is no float, or where the
  /// tensor comes with values, which are exact.
  llvm::SmallVector<TensorPtr, 4> errors;
  /// Of a tensor that sums are kept in: the sum of the absolute values of an element's terms, and
  /// the largest absolute value of a sum on the way to it.
  TensorPtr magnitude = nullptr, largest = nullptr;
  int64_t terms = 0;   ///< in the sum of an element, at most
  double granule = 0;  ///< a power of two of which all its values are multiples; 0: not known
  /// Of products of floats of 8 bits: tensor cores add 32 of them at a time, and are reported to
  /// keep 14 bits.
  bool is_short_sum = false;

  bool is_sum() const { return magnitude != nullptr; }
};

struct BoundedProgram {
  Function function;  ///< its arguments: the forms of those of the program
  std::map<std::string, BoundedTensor, std::less<>> tensors;  ///< arguments, by name
  int64_t longest_sum = 1;                                    ///< of how many terms
};

/// The inputs of a program, by what is known of their values.
struct InputFacts {
  std::map<std::string, double, std::less<>> granules;  ///< by tensor; as of BoundedTensor
  bool are_random =
      false;  ///< so that roundings go to either side, and sums stay small in any order
};

/// The program with floats in f64, which also computes for each float how far rounding, in any
/// order of a sum's terms, may take the value in the program's own type. What rounds is counted:
///
/// - an operation: half a unit in the last place, and of functions like exp four units; of
/// approximate ones
///   2^-11 of the value, too;
/// - a sum of n terms: (n - 1) times that of the sum of their absolute values. Where inputs are
///   random, 32 times the square root of n is as good, and so are four times the largest sum on the
///   way to it;
/// - nothing where all terms are multiples of a power of two, and their sum has few enough digits.
///
/// The errors of operands go on into results by first differences. `function` has no schedule but
/// loops in another order, or on cores.
BoundedProgram with_error_bounds(const Function& function, const Sizes& sizes,
                                 const InputFacts& inputs);

/// The bound for a sum of that many terms beside the errors of its terms: see above. `type` is that
/// of the sum.
double bound_of_sum(DType type, const BoundedTensor& sum, double magnitude, double largest,
                    bool are_random);

}  // namespace hone
