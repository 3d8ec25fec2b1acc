#include "codegen/c_form/owned_words.h"

#include "ir/core/opcode.h"
#include "ir/scalar/type.h"
#include "ir/text/cpp_keywords.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace hone {
namespace {

using llvm::StringRef;

/// Words that C has besides the keywords of C++, and GNU C besides those.
constexpr const char* words_of_c = "restrict typeof typeof_unqual linux unix i386";

/// Functions for numbers, which also exist with an `f` or an `l` at their end.
constexpr const char* math_functions = R"(
  abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0
  cyl_bessel_i1 drem erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor fma
  fmax fmin fmod frexp gamma hypot ilogb isinf isnan isfinite j0 j1 jn ldexp lgamma llrint llround
  log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward norm norm3d norm4d
  normcdf normcdfinv pow pow10 powi rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round
  roundeven rsqrt scalb scalbln scalbn signbit significand sin sincos sincospi sinh sinpi sqrt tan
  tanh tgamma trunc y0 y1 yn)";

/// Other functions that a compiler knows or its own headers declare.
constexpr const char* other_functions = R"(
  abort assert calloc clock clock64 exit free labs llabs llmax llmin main malloc max memcmp memcpy
  memmove memset min printf ullmax ullmin umax umin va_arg va_copy va_end va_list va_start vprintf)";

constexpr const char* types_and_objects = R"(
  blockDim blockIdx clock_t dim3 gridDim half half2 libraryPropertyType nullptr_t nv_bfloat16
  nv_bfloat162 nv_half nv_half2 nvcuda ptrdiff_t size_t std threadIdx warpSize CUuuid
  MAJOR_VERSION MINOR_VERSION PATCH_LEVEL WARP_SZ)";

/// Those that <math.h>, <stdbool.h> and <stdlib.h> define, and older ones of the same headers.
constexpr const char* macros = R"(
  BIG_ENDIAN BYTE_ORDER DOMAIN EXIT_FAILURE EXIT_SUCCESS FD_SETSIZE FP_FAST_FMA FP_FAST_FMAF
  FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE HUGE_VAL HUGE_VALF
  HUGE_VALL INFINITY LITTLE_ENDIAN MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MB_CUR_MAX M_1_PI M_2_PI
  M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN NFDBITS NULL
  OVERFLOW PDP_ENDIAN PLOSS RAND_MAX SING SNAN TLOSS UNDERFLOW WCONTINUED WEXITED WNOHANG WNOWAIT
  WSTOPPED WUNTRACED X_TLOSS alloca errno math_errhandling signgam stderr stdin stdout)";

/// Names in generated text: of its types, functions, namespace, and the macros around them. Those
/// of instructions stand with their families.
constexpr const char* words_of_hone = R"(
  atomic_max atomic_min atomic_mul bits_of divided_by_zero entry_of_hone f8e4m3_to_float
  f8e5m2_to_float float_to_f8e4m3 float_to_f8e5m2 float_to_tf32 hone load_shared_1 load_shared_2
  load_shared_4 max_bool max_i32 max_i64 max_i8 max_index max_u8 min_bool min_i32 min_i64 min_i8
  min_index min_u8 multiply_add odd_float_of_f64 odd_float_of_i64 of_block quotient_bool
  quotient_i32 quotient_i64 quotient_i8 quotient_index quotient_u8 remainder_bool remainder_i32
  remainder_i64 remainder_i8 remainder_index remainder_u8 shared shared_address shuffle_down
  shuffle_exchange tanh_approx tf32_to_float truncated_i32 truncated_i64 truncated_i8 truncated_index
  truncated_u8)";

llvm::StringSet<> set_of(std::initializer_list<StringRef> lists) {
  llvm::StringSet<> set;
  for (const StringRef list : lists) {
    llvm::SmallVector<StringRef, 128> words;
    llvm::SplitString(list, words);
    for (const StringRef word : words) set.insert(word);
  }
  return set;
}

bool is_math_function(StringRef word) {
  static const llvm::StringSet<> set = set_of({math_functions});
  return set.contains(word) ||
         (!word.empty() && StringRef("fl").contains(word.back()) && set.contains(word.drop_back()));
}

/// float4, uchar2, longlong4_16a
bool is_vector_type(StringRef word) {
  for (const StringRef alignment : {"_16a", "_32a"})
    if (word.consume_back(alignment)) break;
  if (word.empty() || word.back() < '1' || word.back() > '4') return false;
  word = word.drop_back();
  if (word == "float" || word == "double") return true;
  word.consume_front("u");
  return word == "char" || word == "short" || word == "int" || word == "long" || word == "longlong";
}

/// cudaMalloc, CUDA_VERSION, atomicAdd; HONE_MAX_I32
bool has_owned_prefix(StringRef word) {
  for (const StringRef prefix : {"CUDA", "CU_", "HONE_", "NV_"})
    if (word.consume_front(prefix)) return true;
  return (word.consume_front("cuda") || word.consume_front("atomic")) && !word.empty() &&
         word.front() >= 'A' && word.front() <= 'Z';
}

/// Words whose start the C++ standard keeps for implementations, and "_": PTX has no name for it.
bool starts_as_implementations(StringRef word) {
  if (word == "_") return true;
  return word.consume_front("_") && !word.empty() &&
         (word.front() == '_' || (word.front() >= 'A' && word.front() <= 'Z'));
}

/// Types of tuples, and functions that make them of words: f32_i32, f32_i32_of
bool names_tuple(StringRef word) {
  word.consume_back("_of");
  llvm::SmallVector<StringRef, 4> types;
  word.split(types, '_');
  return types.size() > 1 && types.size() <= most_components &&
         llvm::all_of(types, [](StringRef name) {
           const auto type = parse_dtype(name);
           return type && is_component_type(*type);
         });
}

/// The prefix that such words get.
constexpr StringRef front = "name";

/// Of a word, those that `unowned` would make of words before it count too.
bool is_owned_by_its_front(StringRef word) {
  while (word.consume_front(front)) {
  }
  return starts_as_implementations(word);
}

bool is_owned_by_its_letters(StringRef word) {
  static const llvm::StringSet<> set =
      set_of({words_of_c, other_functions, types_and_objects, macros, words_of_hone});
  word = word.rtrim('_');
  StringRef made = word;
  return set.contains(word) || is_name_of_helper(word) || is_cpp_keyword(word) ||
         is_math_function(word) || is_vector_type(word) ||
         (made.consume_front("make_") && is_vector_type(made)) || has_owned_prefix(word) ||
         names_tuple(word);
}

}  // namespace

bool is_owned(StringRef word) {
  return starts_as_implementations(word) || is_owned_by_its_letters(word);
}

std::string unowned(StringRef word) {
  if (is_owned_by_its_front(word)) return (front + word).str();
  return is_owned_by_its_letters(word) ? word.str() + "_" : word.str();
}

}  // namespace hone
