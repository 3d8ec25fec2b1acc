// The accesses in a cubin, and the ones of PTX that they come from.

#include <gtest/gtest.h>

#include <set>

#include "fmt/ranges.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/nvrtc/disassembler.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/ptx/cubin/elf.h"
#include "runtime/ptx/cubin/machine_code.h"
#include "tests/support/ptx/cuda_kernel.h"
#include "tests/support/ptx/programs.h"

namespace hone::ptx {
namespace cubin_test {

Compiled compiled(const std::string& source, const std::string& arch) {
  CompileJob job;
  job.source = source;
  job.arch = arch;
  job.options = {"-lineinfo"};
  job.by_hand = true;
  return nvrtc_compile(job);
}

MachineCode code_of(const std::vector<char>& cubin) {
  return read_cubin({cubin.data(), cubin.size()});
}

/// Without the type, which is not the same for each architecture.
std::string line_of(const MachineCode& code, int line) {
  llvm::SmallVector<llvm::StringRef, 0> lines;
  llvm::StringRef(code.ptx).split(lines, '\n');
  if (line == 0) return "";
  return lines[line - 1].take_until([](char c) { return c == '\t'; }).rsplit('.').first.str();
}

/// "global load 16: ld.global.nc.v4", one a line.
std::string text_of(const MachineCode& code) {
  constexpr const char* spaces[] = {"generic", "global", "constant", "shared", "local", "param"};
  std::string text;
  for (const MachineAccess& access : code.accesses)
    text += fmt::format("{} {} {}: {}\n", spaces[static_cast<int>(access.space)],
                        access.is_store ? "store" : "load", access.bytes,
                        line_of(code, access.ptx_line));
  return text;
}

constexpr const char* widths = R"(
extern "C" __global__ void widths(const float4* __restrict__ in, double* d, short* s,
                                  signed char* c, float* out) {
  __shared__ float4 tile[32];
  __shared__ float row[32];
  tile[threadIdx.x] = in[threadIdx.x];
  row[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  float sum = tile[31 - threadIdx.x].y;
  for (int n = 0; n < 4; ++n) sum += row[n];
  out[threadIdx.x] = sum;
  d[threadIdx.x] *= 2;
  s[threadIdx.x] += 1;
  c[threadIdx.x] += 1;
})";

class Cubins : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// Four loads of PTX are one of 16 bytes, at the line of the first.
TEST_F(Cubins, HaveTheAccessesOfEachArchitecture) {
  for (const int arch : nvrtc_info()->architectures) {
    const std::string text = text_of(code_of(compiled(widths, fmt::format("sm_{}", arch)).cubin));
    llvm::SmallVector<llvm::StringRef, 0> lines;
    llvm::StringRef(text).split(lines, '\n', -1, false);
    llvm::sort(lines);
    EXPECT_EQ(llvm::join(lines, "\n"), R"(global load 16: ld.global.nc.v4
global load 1: ld.global
global load 2: ld.global
global load 4: ld.global
global load 8: ld.global
global store 1: st.global
global store 2: st.global
global store 4: st.global
global store 8: st.global
shared load 16: ld.shared
shared load 4: ld.shared
shared store 16: st.shared.v4
shared store 4: st.shared)")
        << arch;
  }
}

/// The words of a disassembler that name the same accesses: "LDG", "STS"; with those of widths.
std::multiset<std::string> disassembled(const std::vector<char>& cubin) {
  static const llvm::StringRef names[] = {"LD", "ST", "LDG", "STG", "LDL", "STL", "LDS", "STS"};
  std::multiset<std::string> found;
  llvm::SmallVector<llvm::StringRef, 0> words;
  const std::string text = disassemble({cubin.data(), cubin.size()});
  llvm::StringRef(text).split(words, ' ', -1, false);
  for (const llvm::StringRef word : words) {
    llvm::SmallVector<llvm::StringRef, 6> parts;
    word.split(parts, '.');
    if (!llvm::is_contained(names, parts[0])) continue;
    std::string bytes = "4";
    for (const auto& [part, size] : {std::pair<llvm::StringRef, const char*>{"U8", "1"},
                                     {"S8", "1"},
                                     {"U16", "2"},
                                     {"S16", "2"},
                                     {"64", "8"},
                                     {"128", "16"}})
      if (llvm::is_contained(parts, part)) bytes = size;
    found.insert(parts[0].str() + " " + bytes);
  }
  return found;
}

std::multiset<std::string> read(const std::vector<char>& cubin) {
  constexpr const char* names[] = {"", "G", "C", "S", "L", ""};
  std::multiset<std::string> found;
  for (const MachineAccess& access : code_of(cubin).accesses)
    found.insert(fmt::format("{}{} {}", access.is_store ? "ST" : "LD",
                             names[static_cast<int>(access.space)], access.bytes));
  return found;
}

TEST_F(Cubins, HaveTheAccessesThatADisassemblerNames) {
  for (const SampleKernel& kernel : llvm::ArrayRef(sample_kernels()).take_front(8)) {
    const std::vector<char> cubin = compiled(kernel.source, "sm_90").cubin;
    std::multiset<std::string> expected;
    try {
      expected = disassembled(cubin);
    } catch (const RuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
    EXPECT_EQ(read(cubin), expected) << kernel.name;
  }
}

/// A loop that ptxas does not unroll.
constexpr const char* loop = R"(
extern "C" __global__ void loop(unsigned* x, unsigned n) {
  unsigned value = threadIdx.x;
  #pragma unroll 1
  for (unsigned i = 0; i < n; ++i) value = value * 5 + x[value & 31];
  x[threadIdx.x] = value;
})";

TEST_F(Cubins, KnowWhereJumpsLeadTo) {
  for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    const MachineCode code = code_of(compiled(loop, arch).cubin);
    std::vector<std::pair<int64_t, int64_t>> backward;
    for (size_t n = 0; n < code.instructions.size(); ++n)
      if (const int64_t target = code.instructions[n].target; target >= 0 && target < int64_t(n))
        backward.emplace_back(target, n);
    ASSERT_EQ(backward.size(), 1U) << arch;
    const auto [first, last] = backward.front();
    const auto body = llvm::ArrayRef(code.instructions).slice(first, last + 1 - first);
    EXPECT_EQ(llvm::count_if(body, [](const auto& one) { return one.is_access; }), 1) << arch;
    EXPECT_TRUE(body.back().is_jump && body.back().goes_on) << arch;
    // Padding is no code.
    EXPECT_TRUE(code.instructions.back().is_jump && !code.instructions.back().goes_on) << arch;
    EXPECT_EQ(code.instructions.back().target, -1) << arch;
  }
}

std::string refusal(const std::string& bytes) {
  try {
    read_cubin(bytes);
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "";
}

TEST_F(Cubins, AreFilesThatEndWhereTheyShould) {
  EXPECT_EQ(refusal("PTX"), "a cubin ends within a record of 64 bytes at 0");
  EXPECT_EQ(refusal(std::string(64, 'x')), "a cubin of 64 bytes is no ELF file of 64 bits");
  const std::vector<char> cubin = compiled(widths, "sm_90").cubin;
  EXPECT_EQ(refusal({cubin.data(), cubin.size() / 2}).substr(0, 43),
            "a cubin ends within a record of 64 bytes at");
  for (size_t size = 64; size < cubin.size(); size += 97) refusal({cubin.data(), size});
}

}  // namespace cubin_test
}  // namespace hone::ptx
