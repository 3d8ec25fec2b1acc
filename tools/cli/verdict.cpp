#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "fmt/ranges.h"
#include "ir/scalar.h"
#include "runtime/parallel.h"
#include "tools/cli/trial.h"

namespace hone {
namespace {

/// The number of tolerances that a single element may be off.
constexpr double element_slack = 32;

/// The number of elements that a core looks at before it takes the next ones.
constexpr int64_t compared_at_once = 1 << 16;

/// The results of `look(begin, end)` for all elements, in their order, a part after the other:
/// whatever is made of them does not depend on how many cores there are.
template <class Look>
auto look_at_all(int64_t size, Look look) {
  std::vector<decltype(look(0, size))> parts((size + compared_at_once - 1) / compared_at_once);
  parallel_for(parts.size(), [&](size_t n) {
    const int64_t begin = static_cast<int64_t>(n) * compared_at_once;
    parts[n] = look(begin, std::min(size, begin + compared_at_once));
  });
  return parts;
}

/// The first element that `is_it` is true of.
template <class IsIt>
std::optional<int64_t> first_element(int64_t size, IsIt is_it) {
  const auto first_of_part = [&](int64_t begin, int64_t end) -> std::optional<int64_t> {
    for (int64_t n = begin; n < end; ++n)
      if (is_it(n)) return n;
    return std::nullopt;
  };
  for (const std::optional<int64_t>& found : look_at_all(size, first_of_part))
    if (found) return found;
  return std::nullopt;
}

const std::byte* address(const AnyArray& array, int64_t position) {
  return static_cast<const std::byte*>(array.data()) + position * size_of(array.dtype());
}

Scalar element(const AnyArray& array, int64_t position) {
  return read_element(array.dtype(), address(array, position));
}

/// "C[3, 5]"; a tensor without dimensions is its one element.
std::string element_name(const TensorNode& tensor, const AnyArray& array, int64_t position) {
  std::vector<int64_t> index(array.shape().size());
  for (size_t dim = index.size(); dim-- > 0; position /= array.shape()[dim])
    index[dim] = position % array.shape()[dim];
  return index.empty() ? tensor.name : fmt::format("{}[{}]", tensor.name, fmt::join(index, ", "));
}

std::string element_text(const AnyArray& array, int64_t position) {
  const Scalar value = element(array, position);
  return array.dtype() == DType::f32 ? fmt::format("{}", static_cast<float>(value.real))
                                     : to_string(value);
}

std::string mismatch(const TensorNode& tensor, const AnyArray& output, const AnyArray& reference,
                     int64_t position) {
  return fmt::format(
      "{} is {}{}, and the program without a schedule gives {}",
      element_name(tensor, output, position), element_text(output, position),
      is_unwritten(output, position) ? ", as memory is that nothing has written" : "",
      element_text(reference, position));
}

/// Bytes of an element that have a meaning.
struct Part {
  int64_t offset;
  size_t bytes;
};

llvm::SmallVector<Part, 4> parts_of(DType type) {
  if (!is_tuple(type)) return {{0, static_cast<size_t>(size_of(type))}};
  llvm::SmallVector<Part, 4> parts;
  for (unsigned n = 0; n < component_count(type); ++n)
    parts.push_back(
        {component_offset(type, n), static_cast<size_t>(size_of(component_type(type, n)))});
  return parts;
}

Verdict compare_exactly(const TensorNode& tensor, const AnyArray& output,
                        const AnyArray& reference) {
  const auto parts = parts_of(output.dtype());
  const auto culprit = first_element(output.size(), [&](int64_t n) {
    const std::byte *got = address(output, n), *wanted = address(reference, n);
    return llvm::any_of(parts, [&](const Part& part) {
      return std::memcmp(got + part.offset, wanted + part.offset, part.bytes) != 0;
    });
  });
  return culprit ? Verdict{1, mismatch(tensor, output, reference, *culprit)} : Verdict();
}

/// 0 for equal infinities too, and for two NaNs, of which none is memory that nothing has written.
/// One NaN differs from everything, by more than any limit.
double difference(const AnyArray& output, const AnyArray& reference, int64_t position) {
  const double got = element(output, position).real, wanted = element(reference, position).real;
  if (std::isnan(got) && std::isnan(wanted) && !is_unwritten(output, position)) return 0;
  if (std::isnan(got) || std::isnan(wanted)) return std::numeric_limits<double>::infinity();
  return got == wanted ? 0 : std::abs(got - wanted);
}

/// An infinity or a NaN allows no difference, and must not hide those of other elements.
double magnitude(const AnyArray& reference, int64_t position) {
  const double value = std::abs(element(reference, position).real);
  return std::isfinite(value) ? value : 0;
}

struct Norms {
  double difference = 0;
  double reference = 0;

  double ratio() const { return difference == 0 ? 0 : difference / reference; }
};

Norms norms_of(const AnyArray& output, const AnyArray& reference) {
  const auto squares_of_part = [&](int64_t begin, int64_t end) {
    Norms squares;
    for (int64_t n = begin; n < end; ++n) {
      squares.difference += std::pow(difference(output, reference, n), 2);
      squares.reference += std::pow(magnitude(reference, n), 2);
    }
    return squares;
  };
  Norms all;
  for (const Norms& squares : look_at_all(output.size(), squares_of_part)) {
    all.difference += squares.difference;
    all.reference += squares.reference;
  }
  return {std::sqrt(all.difference), std::sqrt(all.reference)};
}

/// The first element whose difference is above `limit(magnitude of the reference)`.
template <class Limit>
std::optional<int64_t> first_beyond(const AnyArray& output, const AnyArray& reference,
                                    Limit limit) {
  return first_element(output.size(), [&](int64_t n) {
    return !(difference(output, reference, n) <= limit(magnitude(reference, n)));
  });
}

Verdict compare_floats(const TensorNode& tensor, const AnyArray& output, const AnyArray& reference,
                       double allowed) {
  const Norms norms = norms_of(output, reference);
  const double mean = norms.reference / std::sqrt(static_cast<double>(output.size()));
  auto culprit = first_beyond(
      output, reference, [&](double wanted) { return element_slack * allowed * (mean + wanted); });
  if (!culprit && !(norms.ratio() <= allowed))
    culprit = first_beyond(output, reference, [&](double) { return allowed * mean; });
  if (!culprit) return {norms.ratio(), ""};
  return {norms.ratio(),
          fmt::format("{} (||out - reference|| / ||reference|| = {:.2g}, at most {:.0e} passes)",
                      mismatch(tensor, output, reference, *culprit), norms.ratio(), allowed)};
}

}  // namespace

double tolerance(DType type, int64_t values) {
  const double roundings = std::sqrt(static_cast<double>(values));
  switch (type) {
    case DType::f64:
      return std::max(1e-12, roundings * 0x1p-53);
    case DType::f32:
      return std::max(1e-5, roundings * 0x1p-24);
    case DType::f16:
      return std::max(1e-2, roundings * 0x1p-11);
    case DType::bf16:
      return std::max(1e-2, roundings * 0x1p-8);
    default:
      return 0;
  }
}

Verdict compare(const TensorNode& tensor, const AnyArray& output, const AnyArray& reference,
                int64_t longest_sum) {
  assert(output.dtype() == reference.dtype() && output.shape() == reference.shape() &&
         "arrays of one tensor");
  if (!is_float(output.dtype())) return compare_exactly(tensor, output, reference);
  return compare_floats(tensor, output, reference, tolerance(output.dtype(), longest_sum));
}

Verdict compare(const Results& outputs, const Results& reference, const Problem& problem) {
  Verdict all;
  for (const Argument& argument : problem.arguments) {
    if (!argument.is_output) continue;
    const std::string& name = argument.tensor->name;
    const Verdict one = compare(*argument.tensor, outputs.find(name)->second,
                                reference.find(name)->second, problem.longest_sum);
    if (all.mismatch.empty()) all.mismatch = one.mismatch;
    all.deviation = std::max(all.deviation, one.deviation);
  }
  return all;
}

std::string deviation_text(const Verdict& verdict) {
  return verdict.deviation == 0 ? "exact" : fmt::format("{:.1e}", verdict.deviation);
}

}  // namespace hone
