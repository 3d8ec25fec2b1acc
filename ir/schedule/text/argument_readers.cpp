// The arguments of calls, read from C++ text: the other direction of argument_texts.cpp.
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/dimensions.h"
#include "ir/schedule/text/step_reader.h"
#include "ir/schedule/text/words.h"
#include "ir/text/layout_parser.h"

namespace hone::argument {

// ---- Axes, factors and tensors ------------------------------------------------------------------

bool read_axis(StepReader& reader, Step& step) {
  step.axes.push_back(reader.read_axis());
  return true;
}

bool read_any_axis(StepReader& reader, Step& step) {
  return reader.at_axis() && read_axis(reader, step);
}

bool read_two_axes(StepReader& reader, Step& step) {
  read_axis(reader, step);
  reader.tokens.expect(",");
  return read_axis(reader, step);
}

bool read_axis_list(StepReader& reader, Step& step) {
  reader.read_list([&] { read_axis(reader, step); });
  return true;
}

bool read_bound_axes(StepReader& reader, Step& step) {
  return reader.at_list() ? read_axis_list(reader, step) : read_axis(reader, step);
}

bool read_factor(StepReader& reader, Step& step) {
  step.factors.push_back(reader.parse_expr());
  return true;
}

bool read_factor_list(StepReader& reader, Step& step) {
  reader.read_list([&] { read_factor(reader, step); });
  return true;
}

bool read_tensor(StepReader& reader, Step& step) {
  step.tensor = reader.read_tensor();
  return true;
}

bool read_any_tensor(StepReader& reader, Step& step) {
  return reader.at_tensor() && read_tensor(reader, step);
}

/// A(i, k), or A
bool read_element(StepReader& reader, Step& step) {
  read_tensor(reader, step);
  if (!reader.tokens.accept("(")) return true;
  do step.element.push_back(reader.parse_expr());
  while (reader.tokens.accept(","));
  reader.tokens.expect(")");
  return true;
}

// ---- Numbers and names --------------------------------------------------------------------------

bool read_count(StepReader& reader, Step& step) {
  step.count = reader.tokens.expect_integer("a number");
  return true;
}

bool read_any_count(StepReader& reader, Step& step) {
  return !reader.tokens.at(")") && read_count(reader, step);
}

bool read_name(StepReader& reader, Step& step) {
  step.name = reader.tokens.expect_string("a name in double quotes").str();
  return true;
}

// ---- Words --------------------------------------------------------------------------------------

bool read_direction(StepReader& reader, Step& step) {
  if (reader.tokens.at(")") || reader.at_options()) return false;
  step.direction = reader.read_enum<Direction>("Direction", "a direction", direction_words);
  return true;
}

bool read_engine(StepReader& reader, Step& step) {
  if (reader.tokens.at(")")) return false;
  step.engine = reader.read_enum<CopyEngine>("CopyEngine", "an engine", engine_words);
  return true;
}

bool read_numbers(StepReader& reader, Step& step) {
  step.numbers = reader.read_enum<Numbers>("Numbers", "a demand", numbers_words);
  return true;
}

/// block.x, block_x, or hone::lane
bool read_binding(StepReader& reader, Step& step) {
  constexpr Binding places[] = {block_x,
                                block_y,
                                block_z,
                                thread_x,
                                thread_y,
                                thread_z,
                                cluster_x,
                                lane,
                                warp,
                                warpgroup,
                                dimension(Binding::Kind::parallel, 0)};
  const Token word = reader.read_word("hone", "a place for the iterations");
  llvm::SmallVector<std::string, 12> known;
  for (const Binding& place : places) {
    known.push_back(to_string(place));
    if (word.text != known.back() && word.text != as_variable(known.back())) continue;
    step.binding = place;
    return true;
  }
  reader.tokens.fail(word, fmt::format("no iterations run on {}; there are {}", word.text.str(),
                                       fmt::join(known, ", ")));
}

namespace {

Combine::Method read_method(StepReader& reader) {
  const Token word = reader.read_word("Combine", "a way to combine");
  const auto method = parse_combine(word.text);
  if (!method)
    reader.tokens.fail(word, fmt::format("{} is no way to combine; there are {}", word.text.str(),
                                         "interleaved_modulo, interleaved_strided, sequential, "
                                         "shuffle, two_level, atomic and last_block"));
  return *method;
}

bool read_flag(StepReader& reader) {
  const Token word = reader.tokens.expect_identifier("true or false");
  if (!word.is("true") && !word.is("false")) reader.tokens.fail(word, "expected true or false");
  return word.is("true");
}

/// {CombineUnit::lanes, CombineMeans::shuffle, true}
CombineLevel read_level(StepReader& reader) {
  CombineLevel level;
  reader.tokens.expect("{");
  const Token unit = reader.read_word("CombineUnit", "lanes, warps, block, cluster or grid");
  reader.tokens.expect(",");
  const Token means = reader.read_word("CombineMeans", "how the results of a level meet");
  const auto known_unit = parse_combine_unit(unit.text);
  const auto known_means = parse_combine_means(means.text);
  if (!known_unit) reader.tokens.fail(unit, "no level has this name");
  if (!known_means) reader.tokens.fail(means, "no results meet by this name");
  if (reader.tokens.accept(",")) level.unrolled = read_flag(reader);
  reader.tokens.expect("}");
  return {*known_unit, *known_means, level.unrolled};
}

CombineLevels read_levels(StepReader& reader) {
  const Token start = reader.tokens.next();
  CombineLevels levels;
  reader.read_list([&] {
    if (levels.is_full())
      reader.tokens.fail(start,
                         fmt::format("a reduction has {} levels at most", CombineLevels::most));
    levels.add(read_level(reader));
  });
  if (const auto problem = combine_problem(levels)) reader.tokens.fail(start, *problem);
  return levels;
}

}  // namespace

bool read_combine(StepReader& reader, Step& step) {
  if (reader.tokens.at(")")) return false;
  if (reader.tokens.at("CombineLevels")) {
    step.binding.combine = read_levels(reader);
    return true;
  }
  Combine combine;
  const bool has_options =
      reader.read_options({{"method", [&] { combine.method = read_method(reader); }},
                           {"unrolled", [&] { combine.unrolled = read_flag(reader); }},
                           {"last_warp", [&] { combine.last_warp = read_flag(reader); }}});
  if (!has_options) combine.method = read_method(reader);
  step.binding.combine = combine;
  return true;
}

// ---- Layouts ------------------------------------------------------------------------------------

namespace {

/// "1", "IndexDigit(1) / 8 % 8"
IndexDigit read_digit(StepReader& reader) {
  const bool is_call = reader.tokens.accept("IndexDigit");
  if (is_call) reader.tokens.expect("(");
  const int64_t dim = reader.tokens.expect_integer("the number of a dimension");
  if (is_call) reader.tokens.expect(")");
  return parse_digit_of(reader.tokens, static_cast<int>(dim));
}

/// {.chunk = 4, .period = 8, .rows = 4}, {4, 8, 4}
Swizzle read_swizzle(StepReader& reader) {
  Swizzle swizzle;
  const auto number = [&] { return reader.tokens.expect_integer("a number"); };
  const bool is_there =
      reader.read_options({{"chunk", [&] { swizzle.chunk = number(); }},
                           {"period", [&] { swizzle.period = number(); }},
                           {"rows", [&] { swizzle.rows = number(); }},
                           {"digit", [&] { swizzle.digit = static_cast<int>(number()); }},
                           {"by", [&] { swizzle.by = static_cast<int>(number()); }}});
  if (!is_there) reader.tokens.fail_expected("{.chunk = 4, .period = 8, .rows = 1}");
  return swizzle;
}

/// 128, f16
Layout read_swizzled_bytes(StepReader& reader, const Layout& layout) {
  const int64_t bytes = reader.tokens.expect_integer("32, 64 or 128");
  reader.tokens.expect(",");
  const Token word = reader.tokens.expect_identifier("the type of an element");
  const auto type = parse_dtype(word.text);
  if (!type) reader.tokens.fail(word, fmt::format("no type {}", word.text.str()));
  return layout.swizzle_bytes(bytes, *type);
}

/// order({1, 0}), pad(1), pitch(lda), swizzle({...})
void read_part(StepReader& reader, Layout& layout) {
  const Token word = reader.tokens.expect_identifier("order, pad, pitch or swizzle");
  reader.tokens.expect("(");
  if (word.is("order"))
    reader.read_list([&] { layout.digits.push_back(read_digit(reader)); });
  else if (word.is("column_major"))
    layout = Layout::column_major();
  else if (word.is("pad"))
    layout = layout.pad(reader.tokens.expect_integer("a number of elements"));
  else if (word.is("pitch"))
    layout = layout.pitch(reader.parse_expr());
  else if (word.is("swizzle"))
    layout = layout.swizzle(read_swizzle(reader));
  else if (word.is("swizzle_bytes"))
    layout = read_swizzled_bytes(reader, layout);
  else if (!word.is("row_major"))
    reader.tokens.fail(word, fmt::format("a layout has no {}; it has order, row_major, "
                                         "column_major, pad, pitch, swizzle and swizzle_bytes",
                                         word.text.str()));
  reader.tokens.expect(")");
}

/// Layout::order({1, 0}).pad(1), or Layout().pad(1)
Layout read_whole_layout(StepReader& reader) {
  Layout layout;
  reader.tokens.expect("Layout");
  if (reader.tokens.accept("(")) {
    reader.tokens.expect(")");
  } else {
    reader.tokens.expect(":"), reader.tokens.expect(":");
    read_part(reader, layout);
  }
  while (reader.tokens.accept(".")) read_part(reader, layout);
  return layout;
}

}  // namespace

bool read_layout(StepReader& reader, Step& step) {
  step.layout = read_whole_layout(reader);
  return true;
}

bool read_any_layout(StepReader& reader, Step& step) {
  return !reader.tokens.at(")") && read_layout(reader, step);
}

// ---- Options ------------------------------------------------------------------------------------

namespace {

/// "row", or nullptr
void read_axis_name(StepReader& reader, Step& step) {
  const bool is_left_out = reader.tokens.accept("nullptr");
  step.names.push_back(
      is_left_out ? "" : reader.tokens.expect_string("a name in double quotes, or nullptr").str());
}

void read_name_list(StepReader& reader, Step& step) {
  reader.read_list([&] { read_axis_name(reader, step); });
}

}  // namespace

bool read_split(StepReader& reader, Step& step) {
  return reader.read_options(
      {{"tail", [&] { step.tail = reader.read_enum<Tail>("Tail", "a tail", tail_words); }},
       {"names", [&] { read_name_list(reader, step); }}});
}

bool read_fuse(StepReader& reader, Step& step) {
  return reader.read_options({{"name", [&] { read_axis_name(reader, step); }}});
}

bool read_names(StepReader& reader, Step& step) {
  return reader.read_options({{"names", [&] { read_name_list(reader, step); }}});
}

bool read_scope(StepReader& reader, Step& step) {
  const char* const words[] = {hone::name(Scope::global).data(), hone::name(Scope::shared).data(),
                               hone::name(Scope::registers).data()};
  return reader.read_options(
      {{"scope", [&] { step.scope = reader.read_enum<Scope>("Scope", "a scope", words); }}});
}

bool read_cache(StepReader& reader, Step& step) {
  return reader.read_options(
      {{"vectorize", [&] { step.count = reader.tokens.expect_integer("a number of elements"); }},
       {"layout", [&] { step.layout = read_whole_layout(reader); }}});
}

/// Four warps where the call says nothing.
bool read_roles(StepReader& reader, Step& step) {
  WarpRoles& roles = step.binding.roles;
  roles.producer_warps = 4;
  const auto number = [&] { return reader.tokens.expect_integer("a number"); };
  return reader.read_options({{"producer_warps", [&] { roles.producer_warps = number(); }},
                              {"producer_registers", [&] { roles.producer_registers = number(); }},
                              {"consumer_registers", [&] { roles.consumer_registers = number(); }},
                              {"in_flight", [&] { roles.in_flight = number(); }}});
}

}  // namespace hone::argument
