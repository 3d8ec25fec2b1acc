#include "fmt/format.h"
#include "runtime/cuda_text/stand_ins.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

/// Macros of the C library, which libcu++ has some of.
constexpr std::pair<StringRef, StringRef> limits[] = {
    {"INT8_MIN", "(-128)"},
    {"INT16_MIN", "(-32768)"},
    {"INT32_MIN", "(-2147483647 - 1)"},
    {"INT64_MIN", "(-9223372036854775807LL - 1)"},
    {"INT8_MAX", "127"},
    {"INT16_MAX", "32767"},
    {"INT32_MAX", "2147483647"},
    {"INT64_MAX", "9223372036854775807LL"},
    {"UINT8_MAX", "255"},
    {"UINT16_MAX", "65535"},
    {"UINT32_MAX", "4294967295U"},
    {"UINT64_MAX", "18446744073709551615ULL"},
    {"SIZE_MAX", "18446744073709551615UL"},
    {"CHAR_BIT", "8"},
    {"SCHAR_MIN", "(-128)"},
    {"SCHAR_MAX", "127"},
    {"CHAR_MIN", "(-128)"},
    {"CHAR_MAX", "127"},
    {"UCHAR_MAX", "255"},
    {"SHRT_MIN", "(-32768)"},
    {"SHRT_MAX", "32767"},
    {"USHRT_MAX", "65535"},
    {"INT_MIN", "(-2147483647 - 1)"},
    {"INT_MAX", "2147483647"},
    {"UINT_MAX", "4294967295U"},
    {"LONG_MIN", "(-9223372036854775807L - 1)"},
    {"LONG_MAX", "9223372036854775807L"},
    {"ULONG_MAX", "18446744073709551615UL"},
    {"LLONG_MIN", "(-9223372036854775807LL - 1)"},
    {"LLONG_MAX", "9223372036854775807LL"},
    {"ULLONG_MAX", "18446744073709551615ULL"},
    {"RAND_MAX", "2147483647"},
    {"EXIT_SUCCESS", "0"},
    {"EXIT_FAILURE", "1"},
    {"FLT_RADIX", "2"},
    {"FLT_DIG", "6"},
    {"FLT_MANT_DIG", "24"},
    {"FLT_MIN", "1.17549435082228750796873653722224568e-38F"},
    {"FLT_MAX", "3.40282346638528859811704183484516925e+38F"},
    {"FLT_EPSILON", "1.19209289550781250000000000000000000e-7F"},
    {"DBL_DIG", "15"},
    {"DBL_MANT_DIG", "53"},
    {"DBL_MIN", "2.22507385850720138309023271733240406e-308"},
    {"DBL_MAX", "1.79769313486231570814527423731704357e+308"},
    {"DBL_EPSILON", "2.22044604925031308084726333618164062e-16"},
    {"INFINITY", "(1.0f / 0.0f)"},
    {"HUGE_VALF", "(1.0f / 0.0f)"},
    {"HUGE_VAL", "(1.0 / 0.0)"},
    {"NAN", "(0.0f / 0.0f)"},
    {"M_E", "2.7182818284590452354"},
    {"M_LOG2E", "1.4426950408889634074"},
    {"M_LOG10E", "0.43429448190325182765"},
    {"M_LN2", "0.69314718055994530942"},
    {"M_LN10", "2.30258509299404568402"},
    {"M_PI", "3.14159265358979323846"},
    {"M_PI_2", "1.57079632679489661923"},
    {"M_PI_4", "0.78539816339744830962"},
    {"M_1_PI", "0.31830988618379067154"},
    {"M_2_PI", "0.63661977236758134308"},
    {"M_2_SQRTPI", "1.12837916709551257390"},
    {"M_SQRT2", "1.41421356237309504880"},
    {"M_SQRT1_2", "0.70710678118654752440"},
};

constexpr StringRef types_text = R"(#undef __host__
#define __host__
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#ifndef __linux__
#define __linux__ 1
#endif
#if __has_include(<cuda/std/cstdint>)
#include <cuda/std/cstdint>
#else
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#endif
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef long ssize_t;
typedef long long time_t;

)";

constexpr StringRef functions_text = R"(
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;");
}
__device__ inline void cudaGridDependencySynchronize() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
#define HONE_OF_INTEGER(F, T) \
  __device__ inline double F(T x) { return F(static_cast<double>(x)); }
#define HONE_OF_INTEGERS(F)                                                       \
  HONE_OF_INTEGER(F, int)                                                         \
  HONE_OF_INTEGER(F, unsigned) HONE_OF_INTEGER(F, long) HONE_OF_INTEGER(F, unsigned long) \
  HONE_OF_INTEGER(F, long long) HONE_OF_INTEGER(F, unsigned long long)
HONE_OF_INTEGERS(sqrt)
HONE_OF_INTEGERS(cbrt)
HONE_OF_INTEGERS(exp)
HONE_OF_INTEGERS(exp2)
HONE_OF_INTEGERS(log)
HONE_OF_INTEGERS(log2)
HONE_OF_INTEGERS(log10)
HONE_OF_INTEGERS(sin)
HONE_OF_INTEGERS(cos)
HONE_OF_INTEGERS(tan)
HONE_OF_INTEGERS(tanh)
HONE_OF_INTEGERS(floor)
HONE_OF_INTEGERS(ceil)
HONE_OF_INTEGERS(round)
HONE_OF_INTEGERS(fabs)
#undef HONE_OF_INTEGERS
#undef HONE_OF_INTEGER
template <class A, class B>
__device__ inline double pow(A a, B b) {
  return pow(static_cast<double>(a), static_cast<double>(b));
}

namespace std {
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::intptr_t; using ::uintptr_t;
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh;
using ::erf; using ::erfc; using ::tgamma; using ::lgamma;
using ::floor; using ::ceil; using ::round; using ::trunc; using ::rint; using ::nearbyint;
using ::fmod; using ::remainder; using ::fma; using ::fmin; using ::fmax; using ::copysign;
using ::ldexp; using ::frexp; using ::modf; using ::isnan; using ::isinf; using ::isfinite;
using ::signbit; using ::printf; using ::memcpy; using ::memset;
template <class T>
__device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T>
__device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T>
__device__ constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
}  // namespace std
typedef std::nullptr_t nullptr_t;
)";

}  // namespace

const std::string& prelude() {
  static const std::string text = [] {
    std::string macros;
    for (const auto& [name, value] : limits)
      macros += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name.str(), value.str());
    return types_text.str() + macros + functions_text.str();
  }();
  return text;
}

}  // namespace hone::ptx
