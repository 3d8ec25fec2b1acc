// The places of loops: bindings, and how the iterations of reductions combine.
#include "fmt/format.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/stmt_parser.h"
#include "llvm/ADT/StringSwitch.h"

namespace hone {

/// binding := ['@' place] attribute*
Binding StmtParser::parse_binding(const Expr& extent) {
  const bool is_serial = !tokens.at("@") || llvm::any_of(loop_attributes(), [&](const auto* one) {
    return one->is_for({}) && tokens.peek(1).is(one->word);
  });
  if (!is_serial) tokens.expect("@");
  Binding binding = is_serial ? Binding() : parse_place(extent);
  for (const LoopAttribute* attribute : loop_attributes()) {
    if (!attribute->is_for(binding)) continue;
    if (const auto number = parse_attribute(*attribute))
      binding.attributes.set(*attribute, *number);
  }
  return binding;
}

/// place := 'block' '.' ('x' | 'y' | 'z') | threads | 'parallel' | 'cluster.x'
///          | 'unroll' ['(' integer ')'] | 'vectorize' | roles | opcode
Binding StmtParser::parse_place(const Expr& extent) {
  const Token name = tokens.expect_identifier("a binding");
  if (name.is("parallel")) return {.kind = Binding::Kind::parallel};
  if (name.is("vectorize")) return {.kind = Binding::Kind::vectorize};
  if (name.is("cluster.x")) return {.kind = Binding::Kind::thread, .dim = cluster_dim};
  if (name.is("unroll")) return {.kind = Binding::Kind::unroll, .count = parse_unroll_count()};
  if (name.is("roles")) return parse_roles();
  if (const auto threads = parse_threads(name, extent)) return *threads;
  if (const Opcode* opcode = find_opcode_with_lanes(name.text))
    return {.kind = Binding::Kind::instr, .opcode = opcode};
  const auto index = parse_index_name(name.text);
  if (!index)
    tokens.fail(
        name, fmt::format("unknown binding '@{}'; there are @block.x, .y and .z, "
                          "@cluster.x, @thread.x, .y and .z, @lane, @warp, @warpgroup, @parallel, "
                          "@unroll, @unroll(n), @vectorize and "
                          "@roles(warps)",
                          name.text.str()));
  return {.kind = Binding::Kind::block, .dim = static_cast<uint8_t>(index->dim)};
}

/// attribute := '@' word ['(' integer ')']
std::optional<int64_t> StmtParser::parse_attribute(const LoopAttribute& attribute) {
  if (!accept_attribute(attribute.word)) return std::nullopt;
  if (!attribute.number || (attribute.may_lack_number && !tokens.at("("))) return 0;
  tokens.expect("(");
  const Token place = tokens.peek();
  const int64_t number = tokens.expect_integer(attribute.number);
  if (number == 0 && attribute.not_zero) tokens.fail(place, attribute.not_zero);
  tokens.expect(")");
  return number;
}

/// roles := 'roles' '(' integer [',' integer ',' integer [',' integer]] ')'
Binding StmtParser::parse_roles() {
  WarpRoles roles;
  tokens.expect("(");
  roles.producer_warps = tokens.expect_integer("how many warps make copies");
  if (tokens.accept(",")) {
    roles.producer_registers = tokens.expect_integer("the registers of a producer");
    tokens.expect(",");
    roles.consumer_registers = tokens.expect_integer("the registers of a consumer");
    if (tokens.accept(","))
      roles.in_flight = tokens.expect_integer("the iterations whose products may go on");
  }
  tokens.expect(")");
  return {.kind = Binding::Kind::roles, .roles = roles};
}

/// threads := 'thread' '.' ('x' | 'y' | 'z') [digit] | ('lane' | 'warp' | 'warpgroup') [digit]
/// digit := '(' stride [',' count] ')'          in units; the count is the extent of a loop
std::optional<Binding> StmtParser::parse_threads(const Token& name, const Expr& extent) {
  const auto index = parse_index_name(name.text);
  const auto unit = llvm::StringSwitch<ThreadUnit>(name.text)
                        .Case("lane", ThreadUnit::lane)
                        .Case("warp", ThreadUnit::warp)
                        .Case("warpgroup", ThreadUnit::warpgroup)
                        .Default(ThreadUnit::thread);
  const bool is_dimension = index && index->space == IndexSpace::thread;
  if (unit == ThreadUnit::thread && !is_dimension) return std::nullopt;
  Binding binding{.kind = Binding::Kind::thread,
                  .dim = static_cast<uint8_t>(is_dimension ? index->dim : 0)};
  if (!is_dimension || tokens.at("(")) binding.digit = parse_digit(name, unit, extent);
  return binding;
}

ThreadDigit StmtParser::parse_digit(const Token& name, ThreadUnit unit, const Expr& extent) {
  int64_t stride = 1;
  auto count = extent.defined() ? as_int(extent) : std::nullopt;
  if (tokens.accept("(")) {
    stride = tokens.expect_integer("the stride of a digit");
    if (tokens.accept(",")) count = tokens.expect_integer("how many values a digit has");
    tokens.expect(")");
  }
  const int64_t most = widest_architecture().max_threads;
  if (!count)
    tokens.fail(name, "a digit of the number of a thread has a constant count: (stride, count)");
  if (stride < 1 || *count < 1 || stride > most || *count > most ||
      stride * stride_of(unit) * *count > most)
    tokens.fail(name, fmt::format("no block has that many threads; it has {} at most", most));
  return {unit, stride * stride_of(unit), *count};
}

/// combine := 'combine' '(' (method [',' 'unrolled'] [',' 'last_warp'] | level (',' level)*) ')'
CombineLevels StmtParser::parse_combine() {
  tokens.expect("(");
  const CombineLevels levels = tokens.peek(1).is(":") ? parse_levels() : parse_method();
  tokens.expect(")");
  return levels;
}

CombineLevels StmtParser::parse_method() {
  const Token word = tokens.expect_identifier("a way to combine");
  const auto method = hone::parse_combine(word.text);
  if (!method)
    tokens.fail(word, fmt::format("unknown way to combine '{}'; there are {}", word.text.str(),
                                  "interleaved_modulo, interleaved_strided, sequential, shuffle, "
                                  "two_level, atomic and last_block"));
  Combine combine = {*method};
  while (tokens.accept(",")) {
    if (tokens.accept("unrolled"))
      combine.unrolled = true;
    else
      tokens.expect("last_warp"), combine.last_warp = true;
  }
  return combine;
}

/// level := unit ':' means ['unrolled']
CombineLevels StmtParser::parse_levels() {
  const Token start = tokens.peek();
  CombineLevels levels;
  do {
    const Token unit = tokens.expect_identifier("lanes, warps, block, cluster or grid");
    const auto known = parse_combine_unit(unit.text);
    if (!known)
      tokens.fail(unit, fmt::format("unknown level '{}'; there are lanes, warps, block, cluster "
                                    "and grid",
                                    unit.text.str()));
    if (levels.is_full())
      tokens.fail(unit, fmt::format("a reduction has {} levels at most", CombineLevels::most));
    tokens.expect(":");
    const Token means = tokens.expect_identifier("how the results of a level meet");
    const auto way = parse_combine_means(means.text);
    if (!way)
      tokens.fail(means, fmt::format("unknown means '{}'; there are shuffle, interleaved_modulo, "
                                     "interleaved_strided, sequential, atomic, ticket and exchange",
                                     means.text.str()));
    levels.add({*known, *way, tokens.accept("unrolled")});
  } while (tokens.accept(","));
  if (const auto problem = combine_problem(levels)) tokens.fail(start, *problem);
  return levels;
}

int64_t StmtParser::parse_unroll_count() {
  if (!tokens.accept("(")) return 0;
  const Token place = tokens.peek();
  const int64_t count = tokens.expect_integer("how often to unroll");
  if (count == 0) tokens.fail(place, "@unroll(0) makes no copies; @unroll unrolls in full");
  tokens.expect(")");
  return count;
}

}  // namespace hone
