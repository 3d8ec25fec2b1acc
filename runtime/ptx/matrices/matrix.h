// Matrices that a warp has in its registers, some elements in each lane.
#pragma once

#include "runtime/ptx/machine/warp.h"
#include "runtime/sim/lanes.h"

namespace hone::ptx {

// ---- Between shared memory and registers: ldmatrix, stmatrix ------------------------------------

/// Matrices of 8 by 8 elements of 16 bits, one for each of the access's values. The detail is the
/// access, the first source the address of a row, and the last names all lanes.
Op::Execute load_matrix_op(bool is_transposed);
Op::Execute store_matrix_op(bool is_transposed);
/// movmatrix: of one in the first source.
void run_transpose_matrix(Warp& warp, const Op& op);

// ---- Spreads ------------------------------------------------------------------------------------

enum class MatrixRole : uint8_t { left, right, sum };

/// PTX ISA, "Matrix fragments": as mma.sync and wgmma spread a matrix of so many rows and columns
/// over a warp. Its registers are as many as `spread` has; those of wmma may have all elements
/// several times, and are those of some products of mma.sync, as an H200 has them.
void place_elements(Spread& spread, MatrixRole role);
/// True if the registers have room for all elements, once or several times.
bool fits(const Spread& spread, bool may_repeat);

/// Calls `use.operator()<type>()` with the type of an element of matrices.
template <class Use>
decltype(auto) with_element(Type type, const Use& use) {
  switch (type) {
    case Type::f16:
      return use.template operator()<DType::f16>();
    case Type::bf16:
      return use.template operator()<DType::bf16>();
    case Type::tf32:
      return use.template operator()<DType::tf32>();
    case Type::e4m3:
      return use.template operator()<DType::f8e4m3>();
    case Type::e5m2:
      return use.template operator()<DType::f8e5m2>();
    case Type::s8:
      return use.template operator()<DType::i8>();
    case Type::u8:
      return use.template operator()<DType::u8>();
    case Type::s32:
      return use.template operator()<DType::i32>();
    case Type::f64:
      return use.template operator()<DType::f64>();
    default:
      return use.template operator()<DType::f32>();
  }
}
bool is_element(Type type);

/// The values of a matrix, row by row.
template <class Value>
void gather_elements(const Warp& warp, const Spread& spread, Value* values) {
  with_element(spread.type, [&]<DType type>() {
    const uint16_t* place = spread.places.data();
    for (const Ref ref : spread.registers) {
      const auto* const elements = warp.at<Stored<type>>(ref);
      for (int n = 0; n < spread.per_register(); ++n)
        values[*place++] = static_cast<Value>(decode<type>(elements[n]));
    }
  });
}

template <class Value>
void scatter_elements(const Warp& warp, const Spread& spread, const Value* values) {
  with_element(spread.type, [&]<DType type>() {
    const uint16_t* place = spread.places.data();
    for (const Ref ref : spread.registers) {
      auto* const elements = warp.at<Stored<type>>(ref);
      for (int n = 0; n < spread.per_register(); ++n)
        elements[n] = encode<type>(narrow<type>(static_cast<Lane<type>>(values[*place++])));
    }
  });
}

// ---- Products -----------------------------------------------------------------------------------

/// C += A B, each row by row. The products of two floats are exact, and sums are rounded to the
/// type of C one after the other, along k.
template <class Value>
void add_product(const ProductDetail& shape, const Value* left, const Value* right, Value* sums) {
  for (int i = 0; i < shape.rows; ++i)
    for (int k = 0; k < shape.depth; ++k) {
      const Value factor = left[i * shape.depth + k];
      const Value* const row = right + k * shape.columns;
      Value* const sum = sums + i * shape.columns;
      for (int j = 0; j < shape.columns; ++j) sum[j] += factor * row[j];
    }
}

/// mma.sync and wmma.mma: the detail is one of Program::products, the last source names all lanes.
void run_product(Warp& warp, const Op& op);

/// wgmma.mma_async: the detail is one of Program::warpgroup_products, the last source names all
/// lanes. Registers have the sums at once, as compilers move them while a product goes on; check
/// mode knows that they may not be used yet.
void run_warpgroup_product(Warp& warp, const Op& op);
void run_commit_products(Warp& warp, const Op& op);
/// The detail is the number of groups that may be pending.
void run_wait_for_products(Warp& warp, const Op& op);

/// Sums of integers as 32 bits have them.
int32_t rounded_sum(int64_t sum, bool saturates);

}  // namespace hone::ptx
