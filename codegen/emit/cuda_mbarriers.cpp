#include "codegen/emit/cuda_mbarriers.h"

#include "fmt/format.h"
#include "ir/visit.h"

namespace hone {
namespace {

constexpr const char* initialise = R"(
// `count` arrivals end a phase of the mbarrier.
static __device__ void init_mbarrier(void* mbarrier, unsigned count) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(address), "r"(count) : "memory");
}
)";

constexpr const char* initialise_for_engine = R"(
// `count` arrivals end a phase of the mbarrier, which the copy engine knows behind the fence.
static __device__ void init_mbarrier(void* mbarrier, unsigned count) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("mbarrier.init.shared.b64 [%0], %1;\n"
               "  fence.proxy.async.shared::cta;"
               :
               : "r"(address), "r"(count)
               : "memory");
}
)";

constexpr const char* arrive = R"(
// Counts the thread in.
static __device__ void arrive_mbarrier(void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }"
               :
               : "r"(address)
               : "memory");
}
)";

constexpr const char* arrive_after_copies = R"(
// Counts the thread in when the copies are there that it has started.
static __device__ void arrive_mbarrier_after_copies(void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(address) : "memory");
}
)";

/// The loop is one of PTX: a loop of C++ around a test makes ptxas keep that out of the statements
/// behind it.
constexpr const char* wait = R"(
// Waits for the end of the phase of this parity.
static __device__ void wait_mbarrier(void* mbarrier, unsigned parity) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("{ .reg .pred ended;\n"
               "again:\n"
#if __CUDA_ARCH__ >= 900
               "  mbarrier.try_wait.parity.shared.b64 ended, [%0], %1;\n"
#else
               "  mbarrier.test_wait.parity.shared.b64 ended, [%0], %1;\n"
#endif
               "  @!ended bra again; }"
               :
               : "r"(address), "r"(parity)
               : "memory");
}
)";

constexpr const char* test = R"(
// True if the phase of this parity has ended.
static __device__ bool test_mbarrier(void* mbarrier, unsigned parity) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  unsigned ended;
  asm volatile("{ .reg .pred ended;\n"
               "  mbarrier.test_wait.parity.shared.b64 ended, [%1], %2;\n"
               "  selp.u32 %0, 1, 0, ended; }"
               : "=r"(ended)
               : "r"(address), "r"(parity)
               : "memory");
  return ended != 0;
}
)";

/// By whether it takes more.
constexpr const char* set_registers[] = {R"(
// The threads of this warpgroup keep `count` registers each.
template <int count>
static __device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(count));
}
)",
                                         R"(
// The threads of this warpgroup have `count` registers each, as others have given theirs back.
template <int count>
static __device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(count));
}
)"};

/// The functions in the order in which they are defined.
constexpr const char* mbarrier_functions[] = {
    initialise, arrive, arrive_after_copies, wait, test, set_registers[0], set_registers[1]};

/// The one that the statement calls; null for other statements.
const char* function_of(const Stmt& stmt) {
  if (llvm::isa<InitMbarrier>(stmt)) return initialise;
  if (llvm::isa<WaitMbarrier>(stmt)) return wait;
  if (llvm::isa<TestMbarrier>(stmt)) return test;
  if (const auto* node = llvm::dyn_cast<ArriveMbarrier>(stmt))
    return node->after_copies ? arrive_after_copies : arrive;
  if (const auto* node = llvm::dyn_cast<SetRegisters>(stmt)) return set_registers[node->is_more];
  return nullptr;
}

std::string mbarrier(const TensorPtr& mbarriers, const Expr& slot, const CText& text) {
  return "&" + text.element(*mbarriers, slot);
}

}  // namespace

std::string cuda_role_statement(const KernelStmt& stmt, const CText& text) {
  if (const auto* init = llvm::dyn_cast<InitMbarrier>(&stmt))
    return fmt::format("init_mbarrier({}, {});", mbarrier(init->mbarriers, init->slot, text),
                       init->count);
  if (const auto* wait = llvm::dyn_cast<WaitMbarrier>(&stmt))
    return fmt::format("wait_mbarrier({}, {});", mbarrier(wait->mbarriers, wait->slot, text),
                       text.expression(wait->parity));
  if (const auto* test = llvm::dyn_cast<TestMbarrier>(&stmt))
    return fmt::format("{} = test_mbarrier({}, {});", text.names().of(*test->flag),
                       mbarrier(test->mbarriers, test->slot, text), text.expression(test->parity));
  if (const auto* arrive = llvm::dyn_cast<ArriveMbarrier>(&stmt))
    return fmt::format("arrive_mbarrier{}({});", arrive->after_copies ? "_after_copies" : "",
                       mbarrier(arrive->mbarriers, arrive->slot, text));
  const SetRegisters& set = *llvm::cast<SetRegisters>(&stmt);
  return fmt::format("{}<{}>();", set.word().str(), set.count);
}

std::string cuda_role_helpers(const KernelFunction& kernel) {
  const auto has = [&](auto is_it) { return any_of(kernel.body, is_it); };
  const bool has_engine = has([](const Stmt& stmt) { return llvm::isa<BulkCopy>(stmt); });
  std::string text;
  for (const char* function : mbarrier_functions)
    if (has([&](const Stmt& stmt) { return function_of(stmt) == function; }))
      text += has_engine && function == initialise ? initialise_for_engine : function;
  return text;
}

}  // namespace hone
