// Launches of kernels, checked as the settings say.
#pragma once

#include "runtime/cudart/state.h"

namespace hone::cudart {

/// A launch that is ready to run, with its arguments as they were at the call.
struct Launch {
  Kernel* kernel = nullptr;
  ptx::LaunchShape shape;
  std::vector<std::byte> params;

  int64_t blocks() const { return shape.grid[0] * shape.grid[1] * shape.grid[2]; }
  int64_t threads_of_block() const { return shape.block[0] * shape.block[1] * shape.block[2]; }
};

/// Limits of the simulated device, that of compute capability 9.0.
struct DeviceLimits {
  static constexpr int multiprocessors = 132, threads_of_block = 1024;
  static constexpr int threads = 2048, blocks = 32, registers = 65536;  ///< of a multiprocessor
  /// Of a thread of any kernel: PTX does not say how many an assembler takes.
  static constexpr int assumed_registers = 32;
  /// Of shared memory in bytes: what a block gets, what it gets if the program asks for it, what a
  /// multiprocessor has, and what the system takes of it for each block.
  static constexpr int shared = 48 << 10, most_shared = 227 << 10, all_shared = 228 << 10,
                       reserved_shared = 1 << 10;
};

const ptx::KernelInfo& info_of(State& state, const Kernel& kernel);
/// Blocks of a kernel that fit on a multiprocessor at the same time.
int64_t active_blocks(const ptx::KernelInfo& info, int64_t threads, int64_t dynamic_shared);

/// `function` stands for the kernel, `arguments` point to its arguments. Throws CallError where a
/// GPU would not launch it.
Launch make_launch(State& state, const void* function, const ptx::LaunchShape& shape,
                   void* const* arguments, bool is_cooperative = false);
void run(State& state, const Launch& launch);

}  // namespace hone::cudart
