#include "fmt/format.h"
#include "ir/threads/instruction_nest.h"
#include "tests/support/random/nest_guide.h"

namespace hone {
namespace {

/// The opcodes that multiply for warps.
llvm::SmallVector<const Opcode*, 8> products() {
  llvm::SmallVector<const Opcode*, 8> result;
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes)
      if (opcode->word().starts_with("mma_") || opcode->word().starts_with("wgmma_m"))
        result.push_back(opcode);
  return result;
}

/// The instructions that multiply elements of this type, a depth each.
struct Multiplier {
  std::string word;
  int64_t depth;
};
llvm::SmallVector<Multiplier, 2> multipliers_of(DType type) {
  if (type == bf16) return {{"mma_m16n8k16_bf16", 16}, {"mma_m16n8k8_bf16", 8}};
  if (type == f16) return {{"mma_m16n8k16_f16", 16}, {"mma_m16n8k8_f16", 8}};
  if (type == tf32) return {{"mma_m16n8k8_tf32", 8}, {"mma_m16n8k4_tf32", 4}};
  if (type == f8e4m3) return {{"mma_m16n8k32_e4m3", 32}};
  if (type == f8e5m2) return {{"mma_m16n8k32_e5m2", 32}};
  if (type == i8) return {{"mma_m16n8k16_s8", 16}, {"mma_m16n8k32_s8", 32}};
  return {};
}

class TensorGuide : public NestGuide {
 public:
  TensorGuide(Random& random, const Function& function) : NestGuide(random, function) {}

  std::vector<Step> run() {
    if (spatial_.size() < 2 || reductions_.empty() || operands_.empty()) return {};
    const DType type = operands_.front()->type;
    llvm::erase_if(operands_, [&](const TensorPtr& operand) { return operand->type != type; });
    const auto multipliers = multipliers_of(type);
    if (multipliers.empty()) return {};
    multiplier_ = random_.pick(multipliers);
    if (random_.chance(20)) promise();
    tile();
    bind_axes();
    const bool is_early = random_.chance(92);
    if (is_early) tensorize();
    if (random_.chance(95)) add("cache_registers", result_->name, {warp_row_});
    for (const TensorPtr& operand : operands_) stage(operand);
    if (!is_early) tensorize();
    fill_ahead();
    return std::move(steps_);
  }

 private:
  void promise() {
    for (const TensorPtr& operand : operands_) add("assume_aligned", operand->name, {}).count = 16;
    is_in_vectors_ = true;
  }

  /// Tiles of the block, of a warp, and of the instruction.
  void tile() {
    const std::string i = spatial_[spatial_.size() - 2], j = spatial_.back(), k = reductions_[0];
    const int64_t warps = random_.between(1, 2), rows = 16 * random_.between(1, 2);
    tile({i, j}, {rows * warps, 8 * random_.between(1, 3)});
    split(i + ".1", rows, padded(93));
    tile({i + ".1.1", j + ".1"}, {16, 8});
    const int64_t depth = multiplier_.depth * random_.between(1, 2);
    split(k, depth, padded(93));
    split(k + ".1", multiplier_.depth, padded(93));
    warp_row_ = i + ".1.0";
    step_ = k + ".0";
    k_tile_ = k + ".1.0";
    row_ = i + ".1.1.1";
    column_ = j + ".1.1";
    blocks_ = {i + ".0", j + ".0"};
    Names order = blocks_;
    order.append({warp_row_, step_, k_tile_, i + ".1.1.0", j + ".1.0", row_, column_, k + ".1.1"});
    if (random_.chance(10)) std::swap(order[5], order[6]);
    add("reorder", order);
  }

  void tile(const Names& axes, llvm::ArrayRef<int64_t> sizes) {
    Step& step = add("tile", axes);
    step.factors.append(sizes.begin(), sizes.end());
    step.tail = padded(93);
  }

  /// The loops before and after those of the sums go over lanes as the instruction has spread them.
  void bind_axes() {
    bind(blocks_[0], Kind::block, 1);
    bind(blocks_[1], Kind::block, 0);
    if (random_.chance(90)) add("bind", {warp_row_}).binding = warp;
    for (const char* loops : {".init", ".post"}) {
      if (random_.chance(50)) {
        add("spread", {row_ + loops, column_ + loops}).name = multiplier_.word;
        continue;
      }
      split(row_ + loops, 8, padded(93));
      split(column_ + loops, 2, padded(93));
      add("bind", {row_ + loops + ".1", column_ + loops + ".0"}).binding = lane;
    }
  }

  void tensorize() { add("tensorize", {row_}).name = multiplier_.word; }

  void stage(const TensorPtr& operand) {
    std::string tile = operand->name;
    const bool is_shared = random_.chance(80);
    if (is_shared) {
      Step& step = add("cache_shared", tile, {random_.chance(90) ? step_ : warp_row_});
      step.count = is_in_vectors_ ? 16 / size_of(operand->type) : 0;
      if (random_.chance(25)) step.layout = random_layout(random_, operand->rank());
      tile += ".shared";
      shared_.push_back(tile);
    }
    add("cache_registers", tile, {is_shared || random_.chance(90) ? k_tile_ : step_});
    if (is_shared && size_of(operand->type) == 2 && random_.chance(50)) load_matrices(*operand);
  }

  /// By ldmatrix, most often by one for this side of the product.
  void load_matrices(const TensorNode& operand) {
    constexpr const char* shapes[] = {"x4", "x4_trans", "x2_trans"};
    const bool is_left = operand.name == operands_.front()->name;
    const size_t shape = random_.chance(5) ? random_.below(3) : is_left ? 0 : random_.between(1, 2);
    add("tensorize", operand.name + ".reg", {}).name =
        fmt::format("ldmatrix_{}_{}", shapes[shape], name(operand.type).str());
  }

  /// Tiles in shared memory, or in registers, before they are used.
  void fill_ahead() {
    if (random_.chance(is_in_vectors_ ? 80 : 15))
      for (const std::string& tile : shared_) add("copy_async", tile, {});
    if (random_.chance(25)) add("pipeline", {k_tile_}).count = random_.between(1, 2);
    if (random_.chance(35)) add("unroll", {k_tile_});
    if (is_in_vectors_ && random_.chance(50)) {
      Step& step = add("specialize", {step_});
      step.count = random_.between(1, 3);
      step.binding.roles.producer_warps = 1;
      if (random_.chance(50)) add("prefetch", {step_});
    } else if (random_.chance(35)) {
      add("pipeline", {step_}).count = random_.between(1, 3);
    }
  }

  Multiplier multiplier_;
  bool is_in_vectors_ = false;
  std::string warp_row_, step_, k_tile_, row_, column_;
  Names blocks_, shared_;
};

}  // namespace

std::vector<Step> tensor_schedule(Random& random, const Function& function) {
  return TensorGuide(random, function).run();
}

/// A nest that an instruction computes, rarely any one.
std::optional<Step> draw_tensorize(Draw& draw) {
  const auto opcodes = products();
  llvm::SmallVector<std::pair<const For*, const Opcode*>, 4> nests;
  for (const For* loop : draw.loops)
    for (const Opcode* opcode : opcodes)
      if (match_instruction(*loop, *opcode).instr.defined()) nests.push_back({loop, opcode});
  if (nests.empty() && !draw.random.chance(10)) return std::nullopt;
  const auto [loop, opcode] = nests.empty() ? std::pair(draw.any_loop(), draw.random.pick(opcodes))
                                            : draw.random.pick(nests);
  auto step = make_step("tensorize", loop);
  step->name = opcode->word();
  return step;
}

/// Two loops in one another that have the extents of a result, rarely any two.
std::optional<Step> draw_spread(Draw& draw) {
  struct Result {
    const char* word;
    int64_t rows, columns;
  };
  constexpr Result results[] = {{"mma_m16n8k16_bf16", 16, 8},
                                {"stmatrix_x1_bf16", 8, 8},
                                {"ldmatrix_x4_bf16", 16, 16},
                                {"ldmatrix_x2_trans_f16", 16, 8},
                                {"wgmma_m64n16k64_bf16", 64, 16}};
  const Result& result = draw.random.pick(results);
  llvm::SmallVector<Loops, 4> pairs, others;
  for (const For* outer : draw.loops)
    for (const For* inner : loops_of(outer->body)) {
      const bool fits = is_int(outer->extent, result.rows) && is_int(inner->extent, result.columns);
      (fits ? pairs : others).push_back({outer, inner});
    }
  if (pairs.empty() && (others.empty() || !draw.random.chance(10))) return std::nullopt;
  auto step = make_step("spread", draw.random.pick(pairs.empty() ? others : pairs));
  step->name = result.word;
  return step;
}

}  // namespace hone
