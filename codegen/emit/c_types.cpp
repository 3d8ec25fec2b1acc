#include "codegen/emit/c_types.h"

#include "llvm/Support/ErrorHandling.h"

namespace hone {

const char* cuda_type(DType type) {
  if (is_tuple(type)) return nullptr;
  switch (type) {
    case DType::f64:
      return "double";
    case DType::f32:
    case DType::tf32:
      return "float";
    case DType::f16:
      return "__half";
    case DType::bf16:
      return "__nv_bfloat16";
    case DType::i64:
      return "long long";
    case DType::i32:
      return "int";
    case DType::i8:
      return "signed char";
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::u8:
      return "unsigned char";
    case DType::boolean:
      return "bool";
    case DType::index:
      return nullptr;
    case DType::ring64:
    case DType::ring32:
    case DType::ring16:
    case DType::ring8:
      break;
  }
  llvm_unreachable("no GPU has elements of a ring");
}

}  // namespace hone
