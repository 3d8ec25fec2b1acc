// How much of a program's launches is checked: from the environment.
#pragma once

#include <cstdint>
#include <string>

namespace hone::cudart {

struct Settings {
  bool checks = true;
  bool counts = false;  ///< the requests of all launches to memory, instead of checks
  /// The program that makes machine code of PTX; empty: counted are the accesses of PTX.
  std::string ptxas;
  /// Blocks of a launch that are checked: 0 for all, -1 for all of launches of up to
  /// `most_threads`, and a sample of others.
  int64_t blocks = -1;
  /// Launches of a kernel with the same shape that are checked: 0 for all, -1 for all until
  /// `most_instructions` of threads were checked, and then the first one.
  int64_t launches = -1;
  /// The program ends with status 1 where there are findings and it would have ended with 0.
  bool fails = false;

  static constexpr int64_t most_threads = 20'000'000, sampled_threads = 1'000'000,
                           most_instructions = 2'000'000'000;

  /// Of HONE_CUDA_MODE, HONE_CUDA_PTXAS, HONE_CUDA_BLOCKS, HONE_CUDA_LAUNCHES and HONE_CUDA_FAIL.
  /// Throws RuntimeError for a value that is none.
  static Settings of_environment();

  /// The launch `number`, from 1, of a kernel and a shape is to be checked, where instructions of
  /// others were.
  bool checks_launch(int64_t number, int64_t checked_instructions) const;
  /// The blocks of a launch to check.
  int64_t checked_blocks(int64_t blocks_of_launch, int64_t threads_of_block) const;
};

}  // namespace hone::cudart
