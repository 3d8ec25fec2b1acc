#include "ir/core/combine.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {
namespace {

using Unit = CombineUnit;
using Means = CombineMeans;

constexpr Combine::Method methods[] = {Combine::interleaved_modulo, Combine::interleaved_strided,
                                       Combine::sequential,         Combine::shuffle,
                                       Combine::two_level,          Combine::atomic,
                                       Combine::last_block};

llvm::StringRef name(Combine::Method method) {
  switch (method) {
    case Combine::none:
      return "none";
    case Combine::interleaved_modulo:
      return "interleaved_modulo";
    case Combine::interleaved_strided:
      return "interleaved_strided";
    case Combine::sequential:
      return "sequential";
    case Combine::shuffle:
      return "shuffle";
    case Combine::two_level:
      return "two_level";
    case Combine::atomic:
      return "atomic";
    case Combine::last_block:
      return "last_block";
  }
  llvm_unreachable("unknown way to combine");
}

/// The levels of a short name, without its options.
llvm::SmallVector<CombineLevel, 2> levels_of(Combine::Method method) {
  switch (method) {
    case Combine::none:
      return {};
    case Combine::interleaved_modulo:
      return {{Unit::block, Means::interleaved_modulo}};
    case Combine::interleaved_strided:
      return {{Unit::block, Means::interleaved_strided}};
    case Combine::sequential:
      return {{Unit::block, Means::sequential}};
    case Combine::shuffle:
      return {{Unit::lanes, Means::shuffle}};
    case Combine::two_level:
      return {{Unit::lanes, Means::shuffle}, {Unit::warps, Means::shuffle}};
    case Combine::atomic:
      return {{Unit::grid, Means::atomic}};
    case Combine::last_block:
      return {{Unit::grid, Means::ticket}};
  }
  llvm_unreachable("unknown way to combine");
}

bool can_be(const CombineLevel& level) {
  switch (level.unit) {
    case Unit::lanes:
      return level.means == Means::shuffle;
    case Unit::warps:
      return level.means == Means::shuffle || level.is_tree();
    case Unit::block:
      return level.is_tree();
    case Unit::cluster:
      return level.means == Means::exchange;
    case Unit::grid:
      return level.means == Means::atomic || level.means == Means::ticket;
  }
  llvm_unreachable("unknown unit");
}

/// The levels that stand behind this one at once.
bool may_follow(const CombineLevel& first, const CombineLevel& next) {
  if (next.unit == Unit::lanes)
    return first.means == Means::ticket || (first.unit == Unit::block && first.is_tree());
  if (next.unit == Unit::warps) return first.unit == Unit::lanes;
  return first.unit < next.unit && next.means == Means::atomic;
}

std::string text_of(const CombineLevel& level) {
  return fmt::format("{}: {}{}", name(level.unit).str(), name(level.means).str(),
                     level.unrolled ? " unrolled" : "");
}

template <class Enum>
std::optional<Enum> find_named(llvm::StringRef word, Enum last) {
  for (int n = 0; n <= static_cast<int>(last); ++n)
    if (name(static_cast<Enum>(n)) == word) return static_cast<Enum>(n);
  return std::nullopt;
}

}  // namespace

CombineLevels::CombineLevels(const Combine& combine) {
  for (const CombineLevel& level : levels_of(combine.method)) add(level);
  if (combine.unrolled && count_ > 0) levels_[0].unrolled = true;
  if (combine.last_warp && count_ > 0) add({Unit::lanes, Means::shuffle});
}

const CombineLevel* CombineLevels::at(CombineUnit unit) const {
  const auto* found =
      llvm::find_if(list(), [&](const CombineLevel& level) { return level.unit == unit; });
  return found == list().end() ? nullptr : found;
}

bool CombineLevels::has(CombineUnit unit, CombineMeans means) const {
  const CombineLevel* level = at(unit);
  return level && level->means == means;
}

const CombineLevel* CombineLevels::tree() const {
  const auto* found =
      llvm::find_if(list(), [](const CombineLevel& level) { return level.is_tree(); });
  return found == list().end() ? nullptr : found;
}

llvm::StringRef name(CombineUnit unit) {
  switch (unit) {
    case Unit::lanes:
      return "lanes";
    case Unit::warps:
      return "warps";
    case Unit::block:
      return "block";
    case Unit::cluster:
      return "cluster";
    case Unit::grid:
      return "grid";
  }
  llvm_unreachable("unknown unit");
}

llvm::StringRef name(CombineMeans means) {
  switch (means) {
    case Means::shuffle:
      return "shuffle";
    case Means::interleaved_modulo:
      return "interleaved_modulo";
    case Means::interleaved_strided:
      return "interleaved_strided";
    case Means::sequential:
      return "sequential";
    case Means::atomic:
      return "atomic";
    case Means::ticket:
      return "ticket";
    case Means::exchange:
      return "exchange";
  }
  llvm_unreachable("unknown means");
}

std::optional<CombineUnit> parse_combine_unit(llvm::StringRef word) {
  return find_named(word, Unit::grid);
}

std::optional<CombineMeans> parse_combine_means(llvm::StringRef word) {
  return find_named(word, Means::exchange);
}

std::string to_string(const CombineLevels& levels) {
  if (!levels) return "none";
  if (const auto combine = short_name(levels))
    return name(combine->method).str() + (combine->unrolled ? ", unrolled" : "") +
           (combine->last_warp ? ", last_warp" : "");
  std::string text;
  for (const CombineLevel& level : levels.list())
    text += (text.empty() ? "" : ", ") + text_of(level);
  return text;
}

std::optional<Combine::Method> parse_combine(llvm::StringRef word) {
  const auto* found =
      llvm::find_if(methods, [&](Combine::Method method) { return name(method) == word; });
  return found == std::end(methods) ? std::nullopt : std::optional(*found);
}

std::optional<Combine> short_name(const CombineLevels& levels) {
  for (const Combine::Method method : methods)
    for (const bool unrolled : {false, true})
      for (const bool last_warp : {false, true})
        if (const Combine combine = {method, unrolled, last_warp}; levels == CombineLevels(combine))
          return combine;
  return std::nullopt;
}

std::optional<std::string> combine_problem(const CombineLevels& levels) {
  const CombineLevel* before = nullptr;
  for (const CombineLevel& level : levels.list()) {
    if (!can_be(level))
      return fmt::format("results of {} do not meet by {}", name(level.unit).str(),
                         name(level.means).str());
    if (!before && level.unit == Unit::warps)
      return "warps have what their lanes leave, and no level of lanes comes first";
    if (level.unrolled && !level.is_tree())
      return fmt::format("{} has no tree to be unrolled", name(level.means).str());
    if (before && !may_follow(*before, level))
      return fmt::format("{} does not follow {}", text_of(level), text_of(*before));
    before = &level;
  }
  return std::nullopt;
}

}  // namespace hone
