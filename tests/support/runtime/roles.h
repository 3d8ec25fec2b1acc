// Kernels whose warps have roles: some fill the stages of a ring, others use them.
#pragma once

#include "runtime/sim/check/check.h"
#include "tests/support/ir/run.h"

namespace hone {

/// A kernel of two blocks of 128 threads with t for the thread, w for its warp, and b for the first
/// element of its block; A to read and C to write, of `roles_length` elements each.
std::string roles_kernel(const std::string& body);
inline constexpr int64_t roles_length = 2048;

struct RolesOutcome {
  std::string findings;
  Values values;  ///< of C
};

/// Runs such a kernel in check mode.
RolesOutcome check_roles(const std::string& body, const CheckOptions& options = {});
/// All findings, and the first one.
std::string found_in(const std::string& body, const CheckOptions& options = {});
std::string first_found_in(const std::string& body);
/// The message that a run without checks ends with.
std::string error_in(const std::string& body);

/// Warps 2 and 3 fill stages of 64 elements, warps 0 and 1 use them. In the parts of the text, #
/// stands for the number of stages.
struct Ring {
  int64_t stages = 3, trips = 9;
  std::string full_count = "64", empty_count = "2";
  std::string after_init = "barrier";
  std::string wait_empty = "wait_mbarrier k.empty[k % #] parity (k / # + 1) % 2";
  std::string fill = "copy_async S[k % #, t - 64] <- A[b + k*64 + t - 64] of 1";
  std::string arrive_full = "arrive_mbarrier k.full[k % #] after_copies";
  std::string wait_full = "wait_mbarrier k.full[k % #] parity k / # % 2";
  std::string use = "C[b + k*64 + t] = S[k % #, 63 - t]";
  std::string arrive_empty = "barrier @warp if (t % 32 == 0) { arrive_mbarrier k.empty[k % #] }";

  /// By stores, after which all threads arrive.
  static Ring of_stores();
  std::string body() const;
  /// The values of C.
  Values expected() const;
};

}  // namespace hone
