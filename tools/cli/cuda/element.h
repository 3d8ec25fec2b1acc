// The elements of arrays that kernels of anybody take, by their names on the command line.
#pragma once

#include <optional>
#include <string>

#include "ir/scalar/type.h"
#include "runtime/array.h"

namespace hone {

enum class ElementKind : uint8_t { real, signed_integer, unsigned_integer, boolean };

struct ElementType {
  llvm::StringRef name;  ///< "f32", "u16"
  int bytes = 0;
  ElementKind kind = ElementKind::real;
  /// The type in a .npy file, which has all of its values, or their bits.
  DType file = DType::f32;

  bool is_real() const { return kind == ElementKind::real; }
};

/// A number without its type: the one of the two that the type has.
struct ElementValue {
  double real = 0;
  int64_t integer = 0;
};

/// Null where there is none of that name.
const ElementType* find_element_type(llvm::StringRef name);
/// "f64, f32, ...": all of them.
std::string names_of_element_types();
/// The element of a CUDA type, "float", "unsigned int", "__half", and of vectors of them, "float4";
/// null where it is not known.
const ElementType* element_type_of_cuda(llvm::StringRef type);

ElementValue read_element(const ElementType& type, const std::byte* from);
void write_element(const ElementType& type, const ElementValue& value, std::byte* to);
/// The number in a text, "0.5", "-3", "0x1f", "inf"; nothing where it is none of the type.
std::optional<ElementValue> parse_element(const ElementType& type, llvm::StringRef text);
/// "0.5", "true"
std::string element_text(const ElementType& type, const ElementValue& value);

/// Elements with a shape, in row-major order.
struct ElementArray {
  const ElementType* type = nullptr;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  int64_t size() const { return static_cast<int64_t>(bytes.size()) / type->bytes; }
  ElementValue at(int64_t index) const { return read_element(*type, &bytes[index * type->bytes]); }
  void set(int64_t index, const ElementValue& value) {
    write_element(*type, value, &bytes[index * type->bytes]);
  }
};

/// An array as a .npy file has it.
AnyArray to_file_array(const ElementArray& array);
/// The array of a .npy file; `type` null: the elements have the file's. Throws RuntimeError for a
/// file with elements that the type has not got.
ElementArray read_element_array(const std::string& path, const ElementType* type);

}  // namespace hone
