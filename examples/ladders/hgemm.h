// Products of narrow types, as schedules for tensor cores take them.
#pragma once

#include <optional>

#include "examples/ladders/matmul_tiles.h"

namespace hone {

/// Elements along k that have a scale of their own.
inline constexpr int64_t scale_block = 128;

/// Scales in f32: A has one for each row, and B one for each block of rows, in each block of k.
struct BlockScales {
  Tensor A, B;
};

/// Its `result` are the sums, of which C is made, or which C is.
struct NarrowMatmul : Matmul {
  Tensor C;
  bool is_transposed = false;                ///< B, whose rows run along k then
  std::optional<Axis> batch = std::nullopt;  ///< the outermost, of products of their own
  /// An element for each column, which sums are rounded with.
  std::optional<Tensor> bias = std::nullopt;
  std::optional<BlockScales> scales = std::nullopt;  ///< of the products of a block of k
  bool is_left_transposed = false;                   ///< A, whose rows run along y then
  bool is_result_transposed = false;                 ///< C and its sums, likewise

  DType type() const { return A.node()->type; }
  bool is_rounded() const { return C.node() != result.node(); }
  /// The sizes that are the lengths of A's, B's and C's rows.
  const char* left_row() const { return is_left_transposed ? "M" : "K"; }
  const char* right_row() const { return is_transposed ? "K" : "N"; }
  const char* result_row() const { return is_result_transposed ? "M" : "N"; }
  Expr size(llvm::StringRef name) const { return name == "M" ? M : name == "N" ? N : K; }
  int64_t promise_right_vectors(Schedule& s) const {
    return promise_vectors(s, B, size(right_row()), expected.at(right_row()));
  }
  int64_t promise_result_vectors(Schedule& s) const {
    return promise_vectors(s, C, size(result_row()), expected.at(result_row()));
  }
  /// The rows of the result are pieces of 16 bytes, as the copy engine moves them.
  bool stores_whole_pieces() const {
    return expected.at(result_row()) % (16 / size_of(C.node()->type)) == 0;
  }
  /// The rows of both operands are.
  bool has_whole_pieces() const {
    const int64_t piece = 16 / size_of(type());
    return expected.at(left_row()) % piece == 0 && expected.at(right_row()) % piece == 0;
  }
  /// The same result as C^T = B^T A^T: factors change places, and rows of tiles are its columns.
  NarrowMatmul turned() const;
};

/// The problem that `make` returns, as a plain one.
template <NarrowMatmul (*make)(const Sizes& fixed, const Sizes& expected)>
Matmul as_matmul(const Sizes& fixed, const Sizes& expected) {
  return make(fixed, expected);
}

/// Schedules of warpgroups: tiles of both operands in shared memory, filled by the copy engine.
/// Each is that of the rung of its name. Only rounded results are deferred.
void hgemm_wgmma(Schedule& s, const NarrowMatmul& p);
void hgemm_persistent(Schedule& s, const NarrowMatmul& p);
void hgemm_deferred(Schedule& s, const NarrowMatmul& p);
void hgemm_tuned(Schedule& s, const NarrowMatmul& p);

/// The schedule of hgemm_tuned with the tiles, and the ways to make them, that `choices` has.
void hgemm_by_choice(Schedule& s, const NarrowMatmul& p, tune::Choices& choices);

inline constexpr const char* wgmma_question =
    "Tensor cores multiply faster than threads can load fragments. Where else could they get "
    "their operands?";
inline constexpr const char* tuned_question =
    "Which tiles keep all multiprocessors busy at a given size, and what can run while a launch "
    "ends?";

/// Rungs of these schedules, for products whose sums are rounded. Each builds on the one before,
/// the first one on `base`.
Rung wgmma_rung(const RungMaker<NarrowMatmul>& rung, const char* base);
Rung persistent_rung(const RungMaker<NarrowMatmul>& rung);
Rung deferred_rung(const RungMaker<NarrowMatmul>& rung);
Rung tuned_rung(const RungMaker<NarrowMatmul>& rung);

}  // namespace hone
