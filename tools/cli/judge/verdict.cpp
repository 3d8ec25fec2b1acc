#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "fmt/ranges.h"
#include "ir/scalar/scalar.h"
#include "runtime/parallel.h"
#include "tools/cli/judge/trial.h"

namespace hone {
namespace {

/// The number of elements that a core looks at before it takes the next ones.
constexpr int64_t compared_at_once = 1 << 16;

constexpr double infinity = std::numeric_limits<double>::infinity();

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

Scalar element(const AnyArray& array, int64_t position) {
  return read_element(array.dtype(), static_cast<const std::byte*>(array.data()) +
                                         position * size_of(array.dtype()));
}

Scalar component(const AnyArray& array, int64_t position, unsigned number) {
  const Scalar whole = element(array, position);
  return is_tuple(array.dtype()) ? whole.component(number) : whole;
}

/// "C[3, 5]"; a tensor without dimensions is its one element.
std::string element_name(const TensorNode& tensor, const AnyArray& array, int64_t position) {
  std::vector<int64_t> index(array.shape().size());
  for (size_t dim = index.size(); dim-- > 0; position /= array.shape()[dim])
    index[dim] = position % array.shape()[dim];
  return index.empty() ? tensor.name : fmt::format("{}[{}]", tensor.name, fmt::join(index, ", "));
}

/// Of an element, or of an expected one, as the type has it.
std::string element_text(DType type, const Scalar& value) {
  if (!is_tuple(type)) {
    const Scalar own = convert(type, value);
    return type == f32 ? fmt::format("{}", static_cast<float>(own.real)) : to_string(own);
  }
  std::string text;
  for (unsigned n = 0; n < component_count(type); ++n)
    text += (n == 0 ? "(" : ", ") + element_text(component_type(type, n), value.component(n));
  return text + ")";
}

std::string percent_text(double share) {
  return share < 0.001 ? "less than 0.1 %" : fmt::format("{:.2g} %", 100 * share);
}

/// The elements of an output beside the expected ones.
class Comparison {
 public:
  Comparison(const AnyArray& output, const ExpectedTensor& expected)
      : output_(output), expected_(expected), type_(output.dtype()) {
    assert(output.shape() == expected.values.shape() && "arrays of one tensor");
  }

  Verdict verdict() const {
    const Figures figures = figures_of_all();
    Verdict verdict{figures.deviation(), figures.used, bound_text(figures.most_used), ""};
    if (figures.used <= 1) return verdict;
    const auto culprit = first_element(output_.size(), [&](int64_t n) { return !passes(n); });
    verdict.mismatch = mismatch(*culprit);
    return verdict;
  }

 private:
  struct Figures {
    double difference = 0, expected = 0;  ///< squares
    double used = 0;
    int64_t most_used = 0;  ///< element

    double deviation() const {
      return difference == 0 ? 0 : std::sqrt(difference) / std::sqrt(expected);
    }
  };

  bool is_number(unsigned n) const { return is_float(component_type_of(n)); }
  DType component_type_of(unsigned n) const {
    return is_tuple(type_) ? component_type(type_, n) : type_;
  }

  /// 0 for equal infinities too, and for two NaNs, of which none is memory that nothing has
  /// written. One NaN differs from everything, by more than any limit, and so does another integer.
  double difference(const Scalar& got, const Scalar& wanted, int64_t position) const {
    if (!is_float(got.type)) return got.integer == wanted.integer ? 0 : infinity;
    if (std::isnan(got.real) && std::isnan(wanted.real) && !is_unwritten(output_, position))
      return 0;
    if (std::isnan(got.real) || std::isnan(wanted.real)) return infinity;
    return got.real == round_to(got.type, wanted.real) ? 0 : std::abs(got.real - wanted.real);
  }
  double difference(int64_t position, unsigned n) const {
    return difference(component(output_, position, n), component(expected_.values, position, n),
                      position);
  }

  double allowed(int64_t position, unsigned n) const {
    return is_number(n) ? expected_.allowed(component_type_of(n), position, n) : 0;
  }

  /// The part of what is allowed that a difference takes: more than 1 where it is too large.
  double used(double difference, int64_t position, unsigned n) const {
    if (difference == 0) return 0;
    const double most = allowed(position, n);
    if (difference <= most) return std::isfinite(difference) ? difference / most : 1;
    return most > 0 ? difference / most : infinity;
  }

  bool passes(int64_t position) const {
    for (unsigned n = 0; n < component_count(type_); ++n)
      if (used(difference(position, n), position, n) > 1) return false;
    return true;
  }

  /// An infinity or a NaN allows no difference, and must not hide those of other elements.
  static double magnitude(const Scalar& wanted) {
    return !is_float(wanted.type) ? 1 : std::isfinite(wanted.real) ? std::abs(wanted.real) : 0;
  }

  void look_at(int64_t position, Figures& figures) const {
    for (unsigned n = 0; n < component_count(type_); ++n) {
      const Scalar wanted = component(expected_.values, position, n);
      const double off = difference(component(output_, position, n), wanted, position);
      const double expected = magnitude(wanted);
      figures.difference += off * off;
      figures.expected += expected * expected;
      const double part = used(off, position, n);
      if (!(part > figures.used)) continue;
      figures.used = part;
      figures.most_used = position;
    }
  }

  Figures figures_of_all() const {
    const auto of_part = [&](int64_t begin, int64_t end) {
      Figures figures;
      for (int64_t n = begin; n < end; ++n) look_at(n, figures);
      return figures;
    };
    Figures all;
    for (const Figures& part : look_at_all(output_.size(), of_part)) {
      all.difference += part.difference;
      all.expected += part.expected;
      if (part.used > all.used) all.most_used = part.most_used;
      all.used = std::max(all.used, part.used);
    }
    return all;
  }

  /// "roundings of f32 in a sum of 20000 terms, 3e+08 in magnitude"
  std::string bound_text(int64_t position) const {
    std::string text = "roundings of " + name(type_).str();
    if (expected_.magnitude && output_.size() > 0)
      return text + fmt::format(" in a sum of {} terms, {:.2g} in magnitude", expected_.form.terms,
                                element(*expected_.magnitude, position).real);
    if (expected_.longest_sum > 1)
      text += fmt::format(" in sums of up to {} terms", expected_.longest_sum);
    return text;
  }

  std::string mismatch(int64_t position) const {
    const std::string text = fmt::format(
        "{} is {}{}, and the program without a schedule gives {}",
        element_name(*expected_.tensor, output_, position),
        element_text(type_, element(output_, position)),
        is_unwritten(output_, position) ? ", as memory is that nothing has written" : "",
        element_text(type_, element(expected_.values, position)));
    for (unsigned n = 0; n < component_count(type_); ++n) {
      const double off = difference(position, n), most = allowed(position, n);
      if (is_ring(component_type_of(n))) continue;
      if (!is_number(n) || off <= most || !std::isfinite(off)) continue;
      if (most == 0) return fmt::format("{} (off by {:.2g}, where nothing rounds)", text, off);
      return fmt::format("{} (off by {:.2g}, and {} explain {:.2g})", text, off,
                         bound_text(position), most);
    }
    return text;
  }

  const AnyArray& output_;
  const ExpectedTensor& expected_;
  DType type_;
};

}  // namespace

Verdict compare(const AnyArray& output, const ExpectedTensor& expected) {
  return Comparison(output, expected).verdict();
}

Verdict compare(const Results& outputs, const ExpectedResults& expected) {
  Verdict all;
  for (const auto& [name, one] : expected) {
    const Verdict verdict = compare(outputs.find(name)->second, one);
    if (all.mismatch.empty()) all.mismatch = verdict.mismatch;
    all.deviation = std::max(all.deviation, verdict.deviation);
    if (all.bound.empty() || verdict.used > all.used) all.bound = verdict.bound;
    all.used = std::max(all.used, verdict.used);
  }
  return all;
}

std::string deviation_text(const Verdict& verdict) {
  return verdict.deviation == 0 ? "exact" : fmt::format("{:.1e}", verdict.deviation);
}

std::string measured_text(const Verdict& verdict) {
  if (verdict.deviation == 0) return "exact";
  return fmt::format("{}; {} of the difference that {} explain", deviation_text(verdict),
                     percent_text(verdict.used), verdict.bound);
}

}  // namespace hone
