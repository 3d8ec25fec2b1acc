// C text to a function in this process, through the system's C compiler.
#pragma once

#include <string>
#include <vector>

#include "runtime/nvrtc/disk_cache.h"
#include "runtime/shared_library.h"

namespace hone {

/// The C compiler of this machine.
struct HostCompiler {
  std::vector<std::string> command;  ///< the program and its first arguments: {"/usr/bin/gcc"}
  bool openmp = false;               ///< it compiles and links OpenMP
  bool gcc = false;                  ///< it is GCC, and no other that says so
};

/// $CC, else cc, gcc or clang. What probes of the compiler find is kept in the cache. Throws
/// RuntimeError that lists what was tried.
HostCompiler find_host_compiler(DiskCache& cache);

/// find_host_compiler, once in a process.
const HostCompiler& host_compiler();

/// A translation unit in C.
struct HostCompileJob {
  std::string source;
  std::string name = "kernel";       ///< names the file in messages: "<name>.c"
  std::vector<std::string> options;  ///< besides those of host_options
};

/// The options of every job: -std=gnu11 -O3 -march=native -fwrapv -fPIC -shared -lm, and -fopenmp
/// where it works; of GCC, -fno-tree-loop-if-convert. Products and sums contract to fma, as they do
/// on a GPU; -ffp-contract=off in a job's options prevents that.
std::vector<std::string> host_options(const HostCompiler& compiler);

/// Compiles the library, or finds it in the cache, and opens it. Throws RuntimeError where there is
/// no compiler, and, naming a folder with source and log, where it refuses the source: a bug in
/// Hone.
SharedLibrary host_compile(const HostCompileJob& job);
SharedLibrary host_compile(const HostCompileJob& job, const HostCompiler& compiler,
                           DiskCache& cache);

}  // namespace hone
