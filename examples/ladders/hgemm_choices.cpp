// The way to multiply by warpgroups that is the fastest at given sizes: by the model, or by a
// tuner.
#include <cmath>

#include "examples/ladders/hgemm_shapes.h"

namespace hone {
namespace {

/// The bytes below which an operand's rows are copied: those that make a difference.
llvm::ArrayRef<int64_t> leasts_of(const NarrowMatmul& p, const char* row) {
  static constexpr int64_t both[] = {piece_bytes, line_bytes};
  const int64_t alignment = alignment_of_rows(p, p.expected.at(row));
  const bool has_choice = alignment >= piece_bytes && alignment < line_bytes;
  return llvm::ArrayRef<int64_t>(both).take_front(has_choice ? 2 : 1);
}

void for_each_preparation(const NarrowMatmul& p, llvm::function_ref<void(const Preparation&)> use) {
  for (const int64_t parts : {1, 2, 3, 4, 5, 6, 8})
    for (const int64_t A : leasts_of(p, p.left_row()))
      for (const int64_t B : leasts_of(p, p.right_row())) {
        use({{A, B}, Shared::none, 1, parts});
        if (parts > 1) use({{A, B}, Shared::none, 1, parts, /*in_cluster=*/true});
        for (const Shared shared : {Shared::A, Shared::B})
          for (const int64_t blocks : {2, 4}) use({{A, B}, shared, blocks, parts});
      }
}

using UseWay = llvm::function_ref<void(const NarrowMatmul&, const WgmmaShape&, const Preparation&)>;

/// All ways, each with the problem as it takes it. Of two that take as long, tiles that are turned
/// come first: they were faster.
void for_each_way(const NarrowMatmul& problem, UseWay use) {
  const auto take = [&](const NarrowMatmul& p, llvm::ArrayRef<WgmmaShape> shapes) {
    for_each_preparation(p, [&](const Preparation& how) {
      for (const WgmmaShape& shape : shapes) use(p, shape, how);
    });
  };
  const bool may_turn =
      size_of(problem.type()) == 2 && problem.is_rounded() && !problem.bias && !problem.scales;
  if (may_turn) take(problem.turned(), turned_shapes());
  take(problem, shapes_for(problem));
}

}  // namespace

WgmmaChoice fastest(const NarrowMatmul& problem) {
  WgmmaChoice best = {shapes_for(problem).front(), {}};
  double least = INFINITY;
  for_each_way(problem,
               [&](const NarrowMatmul& p, const WgmmaShape& shape, const Preparation& how) {
                 const double time = microseconds_of(shape, p, how);
                 if (time < least) best = {shape, how};
                 least = std::min(least, time);
               });
  return best;
}

namespace {

struct Way {
  WgmmaChoice choice;
  double microseconds;
};

/// Without copies of operands that the copy engine can move.
bool is_plain(const Preparation& how) {
  return how.least.A == piece_bytes && how.least.B == piece_bytes && llvm::isPowerOf2_64(how.parts);
}

/// Those that take no more than twice as long as the fastest.
std::vector<Way> plain_ways(const NarrowMatmul& problem) {
  std::vector<Way> all;
  double least = INFINITY;
  for_each_way(problem,
               [&](const NarrowMatmul& p, const WgmmaShape& shape, const Preparation& how) {
                 if (!is_plain(how)) return;
                 all.push_back({{shape, how}, microseconds_of(shape, p, how)});
                 least = std::min(least, all.back().microseconds);
               });
  llvm::erase_if(all, [&](const Way& way) { return !(way.microseconds <= 2 * least); });
  return all;
}

/// Asks for one of the values that the ways have, and leaves those that have it.
void narrow(std::vector<Way>& ways, tune::Choices& choices, const char* name,
            llvm::function_ref<int64_t(const WgmmaChoice&)> value_of) {
  std::vector<int64_t> values;
  for (const Way& way : ways)
    if (const int64_t value = value_of(way.choice); !llvm::is_contained(values, value))
      values.push_back(value);
  if (values.size() == 1) return;
  const int64_t value = choices.choice(name, values);
  llvm::erase_if(ways, [&](const Way& way) { return value_of(way.choice) != value; });
}

}  // namespace

WgmmaChoice chosen(const NarrowMatmul& p, tune::Choices& choices) {
  std::vector<Way> ways = plain_ways(p);
  const auto ask = [&](const char* name, auto value_of) { narrow(ways, choices, name, value_of); };
  ask("turned", [](const WgmmaChoice& way) { return int64_t{way.shape.is_turned}; });
  ask("warpgroups", [](const WgmmaChoice& way) { return way.shape.groups; });
  ask("columns", [](const WgmmaChoice& way) { return way.shape.columns; });
  ask("deferred", [](const WgmmaChoice& way) { return way.shape.deferred; });
  ask("parts", [](const WgmmaChoice& way) { return way.how.parts; });
  ask("in_cluster", [](const WgmmaChoice& way) { return int64_t{way.how.in_cluster}; });
  ask("shared", [](const WgmmaChoice& way) { return int64_t(way.how.shared); });
  ask("blocks", [](const WgmmaChoice& way) { return way.how.blocks; });
  choices.expect_seconds(ways.front().microseconds * 1e-6, "H200 SXM");
  return ways.front().choice;
}

}  // namespace hone
