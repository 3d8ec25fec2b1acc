// The report of the assembler about a kernel: registers, spills, stack, and warnings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// Resources of one kernel as `ptxas -v` reports them. Bytes are per thread but for shared_bytes,
/// which is the static shared memory of a block.
struct PtxasInfo {
  std::string kernel;
  int registers = 0;
  int barriers = 0;
  int stack_bytes = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int shared_bytes = 0;

  bool spills() const { return spill_store_bytes > 0 || spill_load_bytes > 0; }
};

/// "31 per thread, no spills", "255 per thread, 64 bytes of spills"
std::string to_string(const PtxasInfo& info);

/// Reads the kernels out of a compile log, in its order. Numbers that the log lacks stay 0.
std::vector<PtxasInfo> parse_ptxas_log(std::string_view log);

/// The lines of a compile log that warn: compiler warnings, and notes of lost performance.
std::vector<std::string> parse_warnings(std::string_view log);

}  // namespace hone
