// Tensors: a name, a shape, the memory they lie in, and the places of their elements there.
#pragma once

#include <initializer_list>

#include "ir/core/axis.h"
#include "ir/core/expr_node.h"
#include "ir/core/storage_digits.h"

namespace hone {

/// The places of the elements of a tensor, by digits of their indices. A row is what the fastest
/// digit runs through.
///
///   Layout::order({1, 0}).pad(4)       dimension 0 is the fastest; rows lie 4 elements apart
///   Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64})         panels of 64 columns
struct Layout {
  llvm::SmallVector<IndexDigit, 4> digits;  ///< from the slowest to the fastest; empty: row-major
  int64_t padding = 0;                      ///< unused elements after each row
  Expr row_pitch;  ///< elements from row to row; undefined: a row and its padding
  llvm::SmallVector<Swizzle, 1> swizzles;  ///< one after the other, each on what the last one left

  /// Dimensions, or digits of their indices, from the slowest to the fastest.
  static Layout order(std::initializer_list<IndexDigit> digits) { return {digits, 0, {}, {}}; }
  static Layout row_major() { return {}; }
  /// Of a matrix.
  static Layout column_major() { return order({1, 0}); }
  Layout pad(int64_t elements) const;
  /// Rows lie `elements` apart, as those of cudaMallocPitch: a param, or an expression over params.
  Layout pitch(const Expr& elements) const;
  /// One swizzle more.
  Layout swizzle(const Swizzle& chunks) const;
  /// One more, by its name: the swizzle of `bytes`, 32, 64 or 128, that bulk copies know. Rows are
  /// of as many bytes; chunks of 16 bytes change places in them.
  Layout swizzle_bytes(int64_t bytes, DType element) const;

  /// True if it takes indices apart.
  bool has_digits() const;
  bool is_dense() const { return padding == 0 && !row_pitch.defined() && swizzles.empty(); }
  bool is_row_major() const { return digits.empty() && is_dense(); }
};

enum class Scope : uint8_t { global, shared, registers };
llvm::StringRef name(Scope scope);

struct TensorNode : RefCounted<TensorNode> {
  uint64_t id =
      next_id();     ///< its forms have it too: laid out, flat, at an address, the part of a thread
  std::string name;  ///< empty: a tensor of proofs, which is in no function
  DType type;
  llvm::SmallVector<Expr, 4> shape;  ///< index expressions over params and constants
  Scope scope;
  Layout layout;
  /// Kernel IR, @shared: bytes from the start of the block's shared memory; -1 in loop IR.
  int64_t address = -1;
  /// @shared: bytes, of which the address is a multiple; 0: no more than what vectors need.
  int64_t alignment = 0;
  /// @shared: has a part in each block of a cluster, which its first index numbers. Other tensors
  /// there are each block's own.
  bool is_in_parts = false;
  /// Kernel IR, @registers: a scalar with one value, which the next statement gives it.
  bool is_value = false;

  unsigned rank() const { return shape.size(); }
};
using TensorPtr = llvm::IntrusiveRefCntPtr<const TensorNode>;

TensorPtr make_tensor(llvm::StringRef name, DType type, llvm::ArrayRef<Expr> shape,
                      Scope scope = Scope::global, Layout layout = {}, int64_t address = -1);
/// Another tensor that differs in its name alone.
TensorPtr make_twin(const TensorNode& tensor, llvm::StringRef name);
/// The same tensor at another alignment.
TensorPtr with_alignment(const TensorNode& tensor, int64_t alignment);
/// The same tensor with elements of another type, which have as many bytes.
TensorPtr retyped(const TensorNode& tensor, DType type);
/// The same tensor in shared memory, with parts in the blocks of a cluster.
TensorPtr in_parts(const TensorNode& tensor);
/// A scalar in the registers of a kernel that keeps one value.
TensorPtr make_value(llvm::StringRef name, DType type);
/// Of the extents or indices of a tensor, those within the memory of one block.
llvm::ArrayRef<Expr> within_block(const TensorNode& tensor, llvm::ArrayRef<Expr> dims);
/// The same tensor in another form.
TensorPtr make_form(const TensorNode& tensor, llvm::ArrayRef<Expr> shape, Scope scope,
                    Layout layout = {}, int64_t address = -1);

}  // namespace hone
