#include "bench/counters/as_written.h"

#include <regex>

#include "fmt/format.h"

namespace hone {
namespace {

/// The C types of a tensor's elements, as a regular expression.
constexpr const char* element =
    "(?:float|double|long long|int|signed char|unsigned char|bool|f32_f32|f32_i32)";

/// A pair is read from volatile memory by its constructor, and written there by an assignment of
/// its own; in registers it is copied as any struct.
constexpr const char* volatile_pair = R"(struct __align__(8) $1 {
  $2 first;
  $3 second;

  $1() = default;
  $1(const $1& other) = default;
  $1& operator=(const $1& other) = default;
  __device__ $1($2 first, $3 second) : first(first), second(second) {}
  __device__ $1(const volatile $1& other) {
    const unsigned long long bits = reinterpret_cast<const volatile unsigned long long&>(other);
    memcpy(this, &bits, 8);
  }
  __device__ void operator=($1 other) volatile {
    unsigned long long bits;
    memcpy(&bits, &other, 8);
    reinterpret_cast<volatile unsigned long long&>(*this) = bits;
  }
};)";

std::string replaced(const std::string& text, const std::string& pattern,
                     const std::string& replacement) {
  return std::regex_replace(text, std::regex(pattern), replacement);
}

/// A pattern for the names of all tensors that may be volatile. Those that atomic updates, arrivals
/// and waits touch may not, nor may the bytes that arrays in shared memory have in common.
std::string name_of_tensor(const std::string& kernel) {
  static const std::regex update(
      R"(\b(?:atomic\w+|arrives_last|\w+_mbarrier\w*)\((?:reinterpret_cast<.*?>\()?&(\w+))");
  std::string others = "__restrict__|shared";
  for (std::sregex_iterator found(kernel.begin(), kernel.end(), update), end; found != end; ++found)
    others += "|" + (*found)[1].str();
  return fmt::format(R"((?!(?:{})\b)\w+)", others);
}

/// Of a kernel without the functions that it calls.
std::string with_volatile_tensors(const std::string& kernel) {
  const std::string name = name_of_tensor(kernel);
  const std::pair<std::string, const char*> changes[] = {
      // Parameters.
      {fmt::format(R"(([(,] ?)(const )?({}\*(?: __restrict__)? {}))", element, name),
       "$1$2volatile $3"},
      // Arrays in shared memory, of their own and in one that several have in common.
      {fmt::format(R"(( __shared__ (?:__align__\(\d+\) )?)({} {}))", element, name),
       "$1volatile $2"},
      {fmt::format(R"(({0}(?: \(&|& ){1}\S* = \*reinterpret_cast<)({0}))", element, name),
       "volatile $1volatile $2"},
      // Neither of two values of a struct becomes the other if one of them is volatile.
      {R"(\? (\w+\[[^\]]*\]) : (f32_f32|f32_i32)\{)", "? $2($1) : $2{"},
      // Copies that take any address.
      {R"((copy_async_\w+\()(&[^,]+),(\s+)&)", "$1(void*)$2,$3(const void*)&"},
      {R"((copy_bulk_\w+\()&)", "$1(void*)&"},
      {R"((store_bulk_\w+\([^;]*, )&)", "$1(const void*)&"},
      {R"((shared_address\()&)", "$1(const void*)&"},
      {R"((wgmma_\w+\([^,]+, )(&[^,]+, )&)", "$1(const void*)$2(const void*)&"},
      // Casts that do not mind.
      {R"(\*reinterpret_cast<(const )?(\w+)\*>\(&)", "*($1$2*)(&"}};
  std::string text = kernel;
  for (const auto& [pattern, replacement] : changes) text = replaced(text, pattern, replacement);
  return text;
}

}  // namespace

std::string with_volatile_accesses(const std::string& cuda) {
  const size_t kernel = cuda.find("extern \"C\"");
  const std::string functions = replaced(
      cuda.substr(0, kernel),
      R"(struct __align__\(8\) (\w+) \{\n  (\w+) first;\n  (\w+) second;\n\};)", volatile_pair);
  return functions + with_volatile_tensors(cuda.substr(kernel));
}

}  // namespace hone
