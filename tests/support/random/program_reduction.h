// The operator of a random reduction.
#pragma once

#include "tests/support/random/program_generator.h"

namespace hone {

/// A user's own operator keeps its order, or is declared associative. Of tuples there are the
/// largest value with its index, and a sum with the number of its values, their largest magnitude,
/// and whether one is above 0.
enum class Operator : uint8_t { sum, max, min, product, any, all, argmax, own, declared, summary };

/// An operator that stays exact for a value, which may have been changed to that end.
struct RandomOperation {
  Operator op;
  Term value;
  DType type;  ///< of the result
  double bound;

  bool is_number() const { return type != DType::boolean && !is_tuple(type); }
};

RandomOperation choose_operation(Random& random, const Term& value, DType type, double iterations,
                                 bool one_axis);
/// The sum, or the minimum where a sum may not be exact.
RandomOperation sum_or_less(const Term& value, DType type, double iterations);

Reduction make_reduction(const RandomOperation& operation, const std::vector<ReduceAxis>& axes);
/// The C++ that makes it.
std::string reduction_text(const RandomOperation& operation, const std::vector<ReduceAxis>& axes);

}  // namespace hone
