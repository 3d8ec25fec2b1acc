#include <algorithm>

#include "fmt/format.h"
#include "ir/interpret/interpreter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "tests/support/random/program_generator.h"
#include "tests/support/random/words.h"

namespace hone {
namespace {

constexpr const char* spatial_names[] = {"i", "j", "l", "o", "u", "v", "h", "g"};
constexpr const char* reduced_names[] = {"k", "m", "r", "t", "w", "q", "e", "d"};
constexpr const char* param_names[] = {"N", "M", "K", "P", "Q"};
/// By the number of axes, so that a program has few iterations.
constexpr int64_t largest_extents[] = {17, 17, 17, 11, 7, 5, 4};

/// Their squares are the first beyond 32 bits, or what a power of two is beside.
constexpr int64_t long_extents[] = {46341, 46342, 65536, 65537};

}  // namespace

std::string nth_name(llvm::ArrayRef<const char*> names, size_t n) {
  const std::string name = names[n % names.size()];
  return n < names.size() ? name : fmt::format("{}{}", name, n / names.size() + 1);
}

std::string join(llvm::ArrayRef<std::string> parts) { return llvm::join(parts, ", "); }

Term Generator::declare_param(int64_t largest) {
  const std::string name = name_for(param_names[params_.size()]);
  declarations_ += fmt::format("Param {0}(\"{0}\");\n", name);
  params_.push_back({Param(name), name, static_cast<double>(largest)});
  return params_.back();
}

/// An extent that tiles and blocks of threads do not divide, or not quite.
Term Generator::odd_extent(int64_t largest) {
  constexpr int64_t extents[] = {1, 2, 3, 5, 7, 9, 11, 13, 15, 17, 31, 33, 0};
  const int64_t most = largest >= 16 ? 2 * largest : largest;
  int64_t extent = random_.pick(extents);
  if (extent > most || (extent == 0 && random_.chance(50))) extent = 1;
  note(extent == 0 ? "extent 0" : "odd extent");
  return {extent, std::to_string(extent), static_cast<double>(extent)};
}

/// Rows of it are whole pieces of 16 bytes in most types.
Term Generator::long_extent() {
  const int64_t extent = 16 * random_.between(1, 3);
  return {extent, std::to_string(extent), static_cast<double>(extent)};
}

/// Most are tiles of tensor cores, and not many.
Term Generator::tile_extent() {
  if (random_.chance(Extra::warpgroups, 85)) {
    const int64_t extent = random_.chance(75) ? 16 * random_.between(1, 4) : random_.between(1, 80);
    return {extent, std::to_string(extent), static_cast<double>(extent)};
  }
  if (random_.chance(25)) return declare_param(36);
  constexpr int64_t extents[] = {16, 32, 8, 24, 17, 31, 9, 40};
  const int64_t extent = extents[random_.weighted({40, 25, 10, 10, 5, 4, 3, 3})];
  return {extent, std::to_string(extent), static_cast<double>(extent)};
}

/// Whole vectors fit into many of them.
Term Generator::random_extent(int64_t largest) {
  if (largest >= 12 && random_.chance(Extra::engines, 55)) return long_extent();
  if (largest >= 4 && random_.chance(Extra::matrices, 85)) return long_extent();
  if (random_.chance(Extra::sizes, 35)) return odd_extent(largest);
  if (random_.chance(30)) {
    if (!params_.empty() && (random_.chance(40) || params_.size() == std::size(param_names)))
      return random_.pick(params_);
    return declare_param(largest);
  }
  int64_t extent = random_.between(1, largest);
  const bool has_vectors = random_.chance(theme_ == Theme::anything ? 25 : 60);
  if (has_vectors && largest >= 4) extent = std::max<int64_t>(4, extent / 4 * 4);
  return {extent, std::to_string(extent), static_cast<double>(extent)};
}

BoundedAxis Generator::declare_axis(bool reduced, const Term& extent) {
  const std::string name = name_for(reduced ? nth_name(reduced_names, reduced_count_++)
                                            : nth_name(spatial_names, spatial_count_++));
  declarations_ +=
      fmt::format("{0} {1}(\"{1}\", {2});\n", reduced ? "ReduceAxis" : "Axis", name, extent.text);
  if (!reduced) return {Axis(name, extent.expr), extent};
  reduce_axes_.emplace_back(name, extent.expr);
  return {reduce_axes_.back(), extent};
}

void Generator::declare_axes(size_t spatial, size_t reduced, int64_t largest) {
  for (size_t n = 0; n < spatial; ++n)
    spatial_.push_back(declare_axis(false, random_extent(largest)));
  for (size_t n = 0; n < reduced; ++n)
    reduced_.push_back(declare_axis(true, random_extent(largest)));
}

void Generator::first_axes() {
  if (theme_ == Theme::product && random_.chance(Extra::elements, 15)) {
    declare_axes(1, 0, 16);
    spatial_.push_back(declare_axis(false, spatial_[0].extent));
    return declare_axes(0, 1, 16);
  }
  if (theme_ == Theme::product) return declare_axes(2 - random_.weighted({80, 20}), 1, 16);
  if (theme_ == Theme::tensors) {
    for (int n = 0; n < 2; ++n) spatial_.push_back(declare_axis(false, tile_extent()));
    reduced_.push_back(declare_axis(true, tile_extent()));
    return;
  }
  if (theme_ == Theme::stencil) return declare_axes(2 - random_.weighted({70, 30}), 0, 16);
  if (theme_ == Theme::transpose) return declare_axes(2 + random_.weighted({80, 20}), 0, 16);
  if (theme_ == Theme::convolution) {
    const size_t count = 1 + random_.weighted({40, 60});
    declare_axes(count, 0, 12);
    return declare_axes(0, count, 3);
  }
  if (theme_ == Theme::scalar) return declare_axes(0, 1 + random_.weighted({50, 35, 15}), 17);
  if (theme_ == Theme::row) {
    const int64_t extent = random_.pick(long_extents);
    const Term length = {extent, std::to_string(extent), static_cast<double>(extent)};
    const bool is_reduced = random_.chance(40);
    if (is_reduced && random_.chance(50)) declare_axes(1, 0, 2);
    (is_reduced ? reduced_ : spatial_).push_back(declare_axis(is_reduced, length));
    return;
  }
  const size_t spatial = 1 + random_.weighted({30, 45, 25});
  const size_t reduced = random_.weighted({45, 40, 15});
  declare_axes(spatial, reduced, largest_extents[spatial + reduced]);
}

/// The axes of the definition before: as they are, or some of them now reduced over, some without
/// their ends, so that neighbours can be read, and maybe a new one. Returns the result as it is
/// read under them.
DrawnOperand Generator::next_axes(DrawnOperand before) {
  spatial_.clear();
  reduced_.clear();
  reduce_axes_.clear();
  const bool is_elementwise = random_.chance(35);
  for (Dimension& dimension : before.dimensions) {
    if (is_elementwise) {
      spatial_.push_back(dimension.axis);
      continue;
    }
    const bool reduced = random_.chance(30) && reduced_.size() < 2;
    const auto extent = as_int(dimension.axis.extent.expr);
    if (extent.value_or(0) > halo() && random_.chance(30)) {
      dimension.form = Form::shifted;
      const int64_t inner = *extent - halo();
      dimension.axis =
          declare_axis(reduced, {inner, std::to_string(inner), static_cast<double>(inner)});
    } else if (reduced) {
      dimension.axis = declare_axis(true, dimension.axis.extent);
    }
    (reduced ? reduced_ : spatial_).push_back(dimension.axis);
    if (dimension.form == Form::plain && random_.chance(10)) dimension.form = Form::reversed;
    if (dimension.form == Form::plain && dimension.axis.extent.bound < 100 &&
        random_.chance(Extra::gathers, 12))
      dimension = gathered(dimension.axis, {dimension.axis});
  }
  if (spatial_.empty() || (!is_elementwise && random_.chance(20)))
    spatial_.push_back(declare_axis(false, random_extent(4)));
  return before;
}

/// A temporary from further back, along axes of the same extents, or along new ones: there are
/// three at most.
void Generator::recall(DrawnOperand earlier) {
  const auto find_axis = [&](const Dimension& dimension) -> std::optional<BoundedAxis> {
    for (const BoundedAxis& axis : all_axes())
      if (axis.extent.text == dimension.axis.extent.text) return axis;
    return std::nullopt;
  };
  const size_t missing = llvm::count_if(
      earlier.dimensions, [&](const Dimension& dimension) { return !find_axis(dimension); });
  if (all_axes().size() + missing > 3) return;
  for (Dimension& dimension : earlier.dimensions) {
    const auto known = find_axis(dimension);
    if (!known) spatial_.push_back(declare_axis(false, dimension.axis.extent));
    dimension.axis = known ? *known : spatial_.back();
  }
  earlier_ = std::move(earlier);
}

std::vector<BoundedAxis> Generator::all_axes() const {
  std::vector<BoundedAxis> axes = spatial_;
  axes.insert(axes.end(), reduced_.begin(), reduced_.end());
  return axes;
}

/// The plain name, or a word that means something elsewhere; no two are the same.
std::string Generator::name_for(const std::string& plain) {
  const bool is_word = random_.chance(Extra::names, 25);
  std::string name = is_word ? random_word(random_, plain) : plain;
  if (is_word) note("words as names");
  while (!names_.insert(name).second) name += "2";
  return name;
}

/// The first sizes are multiples of 4 where they can be, or of 16: a schedule may have been
/// promised so.
std::vector<Sizes> Generator::random_sizes() {
  const int64_t unit = random_.has(Extra::engines) ? 16 : 4;
  std::vector<Sizes> sizes;
  for (int n = 0; n < (params_.empty() ? 1 : 3); ++n) {
    Sizes values{{"S", random_.between(1, 5)}};
    for (const Term& param : params_) {
      const auto largest = static_cast<int64_t>(param.bound);
      int64_t value = random_.chance(20) ? random_.between(0, 1) : random_.between(2, largest);
      if (n == 0 && largest >= unit) value = unit * random_.between(1, largest / unit);
      values[param.text] = value;
    }
    for (const Pitch& pitch : pitches_) {
      const int64_t row = evaluate(pitch.row, values) + random_.between(0, 5);
      values[pitch.name] = n == 0 ? static_cast<int64_t>(llvm::alignTo(row, unit)) : row;
    }
    sizes.push_back(std::move(values));
  }
  return sizes;
}

}  // namespace hone
