#include "tests/support/runtime/roles.h"

#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {

std::string roles_kernel(const std::string& body) {
  return fmt::format(
      "kernel roles(A: f32[2048], C: f32[2048]) grid(2, 1, 1) block(128, 1, 1) @index32 {{ "
      "let t = thread.x let w = t / 32 let b = block.x*1024 {} }}",
      body);
}

RolesOutcome check_roles(const std::string& body, const CheckOptions& options) {
  Buffer a = counting(f32, {roles_length}), c(f32, {roles_length});
  const CheckReport report = check(
      parse_kernel(roles_kernel(body)), {},
      {{"A", a.bytes.data(), roles_length, false}, {"C", c.bytes.data(), roles_length, false}},
      options);
  RolesOutcome outcome;
  for (const Finding& finding : report.findings)
    outcome.findings += (outcome.findings.empty() ? "" : "\n") + to_string(finding);
  outcome.values = values_of(c);
  return outcome;
}

std::string found_in(const std::string& body, const CheckOptions& options) {
  return check_roles(body, options).findings;
}

std::string first_found_in(const std::string& body) {
  const std::string text = found_in(body);
  const std::string more = " more like it";
  const size_t end = text.find(more);
  return end == std::string::npos ? text : text.substr(0, end + more.size());
}

std::string error_in(const std::string& body) {
  return sim_error(roles_kernel(body), {},
                   {{"A", counting(f32, {roles_length})}, {"C", Buffer(f32, {roles_length})}});
}

Ring Ring::of_stores() {
  Ring ring;
  ring.fill = "S[k % #, t - 64] = A[b + k*64 + t - 64]";
  ring.arrive_full = "arrive_mbarrier k.full[k % #]";
  return ring;
}

std::string Ring::body() const {
  const std::string text = fmt::format(
      "alloc S: f32[#, 64] @shared alloc k.full: i64[#] @shared alloc k.empty: i64[#] @shared "
      "if (t == 0) {{ for s in 0..# {{ init_mbarrier k.full[s] of {} init_mbarrier k.empty[s] of "
      "{} }} }} {} "
      "if (64 <= t) {{ give_registers 40 for k in 0..{} {{ {} {} {} }} }} "
      "if (t < 64) {{ take_registers 232 for k in 0..{} {{ {} {} {} }} }}",
      full_count, empty_count, after_init, trips, wait_empty, fill, arrive_full, trips, wait_full,
      use, arrive_empty);
  std::string result;
  for (const char c : text) result += c == '#' ? std::to_string(stages) : std::string(1, c);
  return result;
}

Values Ring::expected() const {
  Values expected(roles_length);
  const Values a = values_of(counting(f32, {roles_length}));
  for (int64_t n = 0; n < 2 * trips * 64; ++n) {
    const int64_t start = n / (trips * 64) * 1024 + n % (trips * 64) / 64 * 64;
    expected[start + n % 64] = a[start + 63 - n % 64];
  }
  return expected;
}

}  // namespace hone
