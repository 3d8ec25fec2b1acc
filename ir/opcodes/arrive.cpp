#include "fmt/format.h"
#include "ir/core/violation.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

std::optional<std::string> problem_of(const Instr& arrive) {
  const TensorNode &flag = *arrive.places[0].tensor, &counter = *arrive.places[1].tensor;
  if (flag.type != DType::boolean || flag.rank() != 0)
    return fmt::format("{} is to tell which block is the last, and is no single bool", flag.name);
  if (counter.type != DType::i32)
    return fmt::format("{} is {}, and arrivals are counted in i32", counter.name,
                       name(counter.type).str());
  return std::nullopt;
}

void check_arrive(const Instr& arrive) {
  require(arrive.places[0].tensor->scope == Scope::shared, "the flag {} of an arrive is not shared",
          arrive.places[0].tensor->name);
  for (const ElementRef& place : llvm::ArrayRef<ElementRef>(arrive.places).drop_front())
    require(place.tensor->scope == Scope::global, "{} of an arrive is not in global memory",
            place.tensor->name);
  const Expr& count = arrive.values[0];
  require(count.type() == DType::index, "the count {} of an arrive is {}, not an index", count,
          name(count.type()).str());
}

llvm::SmallVector<Operand, 3> operands_of_arrive(const Instr& arrive) {
  const ElementRef& counter = arrive.places[1];
  return {{.tensor = arrive.places[2].tensor, .indices = {}, .use = Use::reads, .is_whole = true},
          {.tensor = counter.tensor, .indices = counter.indices, .use = Use::counts},
          {.tensor = arrive.places[0].tensor, .indices = {}, .use = Use::writes}};
}

constexpr const char* arrives_last = R"(
// True in the last of `count` blocks to arrive. That block sees what the others wrote before, and
// the counter is 0 again.
static __device__ bool arrives_last(int* counter, int count) {
  int before;
  asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(counter), "r"(count - 1)
               : "memory");
  return before == count - 1;
}
)";

CudaSpelling spelling_of_arrive(const Instr&) {
  return {"{0} = arrives_last(&{1}, {3});", {{0, arrives_last}}};
}

}  // namespace

namespace op {

const Opcode arrive("arrive {flag} at {element} of {value} after {tensor}",
                    {Use::writes, Use::counts, Use::reads},
                    {.problem = problem_of,
                     .check = check_arrive,
                     .operands = operands_of_arrive,
                     .spelling = spelling_of_arrive});

}  // namespace op
}  // namespace hone
