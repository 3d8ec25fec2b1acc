#include "fmt/format.h"
#include "ir/core/violation.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"

namespace hone {

void check_phases(const ElementRef& place) {
  const TensorNode& mbarriers = *place.tensor;
  const Expr& slot = place.indices[0];
  require(mbarriers.scope == Scope::shared && mbarriers.type == i64,
          "{} is {} @{}, and mbarriers are elements of i64 in shared memory", mbarriers.name,
          name(mbarriers.type).str(), name(mbarriers.scope).str());
  require(slot.type() == DType::index, "the number {} of an mbarrier of {} is no index", slot,
          mbarriers.name);
}

void check_cluster_blocks(const Instr& instr) {
  const int64_t most = widest_architecture().blocks_per_cluster;
  require(blocks_of(instr) >= 2 && blocks_of(instr) <= most,
          "{} is for {} blocks of a cluster; there are 2 to {}", instr.opcode.word(),
          blocks_of(instr), most);
}

namespace {

// ---- Rules --------------------------------------------------------------------------------------

void check_first(const Instr& instr) { check_phases(instr.places[0]); }

void check_init(const Instr& init) {
  check_first(init);
  const int64_t count = init.constants[0];
  require(count >= 1 && count <= most_phase_count,
          "{} counts {} arrivals, and an mbarrier counts 1 to {}", init.places[0].tensor->name,
          count, most_phase_count);
}

void check_parity(const Instr& instr) {
  const std::string& mbarriers = instr.places.back().tensor->name;
  require(instr.values[0].type() == DType::index, "the parity {} of a phase of {} is no index",
          instr.values[0], mbarriers);
}

void check_phase_wait(const Instr& wait) {
  check_first(wait);
  check_parity(wait);
}

void check_test(const Instr& test) {
  const TensorNode& flag = *test.places[0].tensor;
  require(flag.scope == Scope::registers && flag.type == boolean,
          "{} is {} @{}, and a test of an mbarrier sets a bool in registers", flag.name,
          name(flag.type).str(), name(flag.scope).str());
  check_phases(test.places[1]);
  check_parity(test);
}

void check_registers(const Instr& set) {
  const int64_t count = set.constants[0];
  require(count >= least_set_registers && count <= most_set_registers &&
              count % set_registers_step == 0,
          "{} {}: threads have {} to {} registers, a multiple of {}", set.opcode.word(), count,
          least_set_registers, most_set_registers, set_registers_step);
}

void check_arrival_in_blocks(const Instr& instr) {
  check_first(instr);
  check_cluster_blocks(instr);
}

llvm::SmallVector<Operand, 3> operands_of_arrival(const Instr& arrival) {
  const auto& [mbarriers, slot] = arrival.places[0];
  const bool after_copies = arrival.constants[0] != 0;
  return {
      {mbarriers, slot, Use::signals, after_copies ? Timeline::async_thread : Timeline::thread}};
}

// ---- CUDA ---------------------------------------------------------------------------------------

constexpr const char* initialise = R"(
// `count` arrivals end a phase of the mbarrier.
static __device__ void init_mbarrier(void* mbarrier, unsigned count) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(address), "r"(count) : "memory");
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

constexpr const char* arrive_in_blocks = R"(
// Counts the thread in at the mbarrier in this place of each block of the cluster.
template <int blocks>
static __device__ void arrive_in_blocks(void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
#pragma unroll
  for (int block = 0; block < blocks; ++block)
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }"
                 :
                 : "r"(address), "r"(block)
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

CudaSpelling spelling_of_init(const Instr& init) {
  return {fmt::format("init_mbarrier(&{{0}}, {});", init.constants[0]), {{0, initialise}}};
}

CudaSpelling spelling_of_arrival(const Instr& arrival) {
  if (arrival.constants[0] == 0) return {"arrive_mbarrier(&{0});", {{1, arrive}}};
  return {"arrive_mbarrier_after_copies(&{0});", {{2, arrive_after_copies}}};
}

CudaSpelling spelling_of_arrival_in_blocks(const Instr& arrival) {
  return {fmt::format("arrive_in_blocks<{}>(&{{0}});", arrival.constants[0]),
          {{7, arrive_in_blocks}}};
}

CudaSpelling spelling_of_phase_wait(const Instr&) {
  return {"wait_mbarrier(&{0}, {1});", {{3, wait}}};
}
CudaSpelling spelling_of_test(const Instr&) {
  return {"{0} = test_mbarrier(&{1}, {2});", {{4, test}}};
}

template <bool is_more>
CudaSpelling spelling_of_registers(const Instr& set) {
  return {fmt::format("{}<{}>();", set.opcode.word(), set.constants[0]),
          {{5 + is_more, set_registers[is_more]}}};
}

Opcode::Rules registers_rules(CudaSpelling (*spelling)(const Instr&)) {
  return {.check = check_registers,
          .spelling = spelling,
          .least_capability = 90,
          .is_of_one_architecture = true,
          .work = "moves registers between warps"};
}

}  // namespace

namespace op {

const Opcode init_mbarrier(
    "init_mbarrier {slot:a tensor of mbarriers} of {integer:how many arrivals end a phase}",
    {Use::begins}, {.check = check_init, .spelling = spelling_of_init});
const Opcode arrive_mbarrier(
    "arrive_mbarrier {slot:a tensor of mbarriers}{word:after_copies}", {Use::signals},
    {.check = check_first, .operands = operands_of_arrival, .spelling = spelling_of_arrival});
const Opcode arrive_in_blocks(
    "arrive_in_blocks {slot:a tensor of mbarriers} of {integer:how many blocks}", {Use::signals},
    {.check = check_arrival_in_blocks,
     .spelling = spelling_of_arrival_in_blocks,
     .least_capability = 90,
     .work = "arrives in other blocks of a cluster"});
const Opcode wait_mbarrier("wait_mbarrier {slot:a tensor of mbarriers} parity {value}",
                           {Use::awaits},
                           {.check = check_phase_wait, .spelling = spelling_of_phase_wait});
const Opcode test_mbarrier("test_mbarrier {flag} <- {slot:a tensor of mbarriers} parity {value}",
                           {Use::writes, Use::awaits},
                           {.check = check_test, .spelling = spelling_of_test});
const Opcode give_registers("give_registers {integer:the registers of a thread}", {},
                            registers_rules(spelling_of_registers<false>));
const Opcode take_registers("take_registers {integer:the registers of a thread}", {},
                            registers_rules(spelling_of_registers<true>));

}  // namespace op

bool is_wait_for_phase(const Stmt& stmt) { return is<op::wait_mbarrier>(stmt); }
bool is_arrival(const Stmt& stmt) {
  return is<op::arrive_mbarrier>(stmt) || is<op::arrive_in_blocks>(stmt);
}

}  // namespace hone
