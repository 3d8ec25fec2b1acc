#include "tools/cli/command/host_explanation.h"

#include <algorithm>
#include <cmath>

#include "fmt/ranges.h"
#include "tools/cli/profile/source_loops.h"

namespace hone {
namespace {

constexpr double least_host_change = 1.05;

double results(const HostProfile& profile) {
  return std::max(value_of(profile.counts.results, profile.sizes), 1.0);
}

std::string per_result(const HostProfile& profile, const SizeFormula& amount) {
  return profile.counts.results.is_zero() ? "0" : to_string(amount / profile.counts.results);
}

/// "loads fall 1.5x: 3*K -> 2*K per result"; empty where that is no change.
std::string change_text(const char* what, double before, double after, const std::string& from,
                        const std::string& to) {
  const auto [least, most] = std::minmax(before, after);
  if (most == 0 || (least > 0 && most / least < least_host_change)) return "";
  if (before == 0) return fmt::format("{} are new: {} per result", what, to);
  if (after == 0) return fmt::format("there are no {} any more: {} per result before", what, from);
  return fmt::format("{} {} {:.3g}x: {} -> {} per result", what, after < before ? "fall" : "rise",
                     most / least, from, to);
}

// ---- Lines of the cache -------------------------------------------------------------------------

double lines_per_result(const HostProfile& profile, const HostAccess& access) {
  return access.lines * value_of(access.times, profile.sizes) / results(profile);
}

double lines_per_result(const HostProfile& profile) {
  double lines = 0;
  for (const HostAccess& access : profile.counts.accesses)
    lines += lines_per_result(profile, access);
  return lines;
}

/// The access to that tensor that comes to most lines; null where there is none.
const HostAccess* access_like(const HostProfile& profile, const HostAccess& access) {
  const HostAccess* found = nullptr;
  for (const HostAccess& one : profile.counts.accesses) {
    if (one.tensor != access.tensor || one.is_store != access.is_store) continue;
    if (!found || lines_per_result(profile, one) > lines_per_result(profile, *found)) found = &one;
  }
  return found;
}

std::string apart(const HostAccess& access) {
  return access.step.is_zero() ? "in place" : to_string(access.step) + " bytes apart";
}

/// The access whose lines change most, the way that all together do.
std::string because_of_steps(const HostProfile& before, const HostProfile& after, bool falls) {
  double most = 0;
  std::string text;
  for (const HostAccess& access : after.counts.accesses) {
    const HostAccess* former = access_like(before, access);
    if (!former || access_like(after, access) != &access || former->step == access.step) continue;
    const double change = lines_per_result(after, access) - lines_per_result(before, *former);
    if ((change < 0) != falls || std::abs(change) <= most) continue;
    most = std::abs(change);
    text = fmt::format(", because the loop {} {} {} {}, and the loop {} {} it {}", access.loop,
                       access.is_store ? "writes" : "reads", access.tensor, apart(access),
                       former->loop, former->is_store ? "wrote" : "read", apart(*former));
  }
  return text;
}

std::string lines_text(const HostProfile& before, const HostProfile& after) {
  const double old_lines = lines_per_result(before), new_lines = lines_per_result(after);
  const std::string text =
      change_text("lines of 64 bytes that innermost loops come to", old_lines, new_lines,
                  fmt::format("{:.4g}", old_lines), fmt::format("{:.4g}", new_lines));
  return text.empty() ? "" : text + because_of_steps(before, after, new_lines < old_lines);
}

// ---- Loops --------------------------------------------------------------------------------------

/// "the loop i is on all cores", where none was; and the other way round.
std::string binding_text(llvm::ArrayRef<std::string> before, llvm::ArrayRef<std::string> after,
                         const char* is_bound) {
  if (before.empty() == after.empty()) return "";
  const auto& names = after.empty() ? before : after;
  const bool is_one = names.size() == 1;
  return fmt::format("the loop{} {} {}{} {}", is_one ? "" : "s", fmt::join(names, ", "),
                     is_one ? "is" : "are", after.empty() ? " no longer" : "", is_bound);
}

std::string aliasing_text(const HostLoops& before, const HostLoops& after) {
  if (before.may_alias == after.may_alias) return "";
  return after.may_alias ? "arrays may overlap: compilers load and store each time"
                         : "arrays no longer overlap: compilers may keep elements in registers";
}

std::string order_text(const HostLoops& before, const HostLoops& after) {
  if (before.names == after.names || before.names.empty() || after.names.empty()) return "";
  return fmt::format("the loops are {} instead of {}", fmt::join(after.names, ", "),
                     fmt::join(before.names, ", "));
}

std::string step_text(const HostAccess& access) {
  const char* verb = access.is_store ? "written" : "read";
  if (access.loop.empty()) return fmt::format("{} is {} once", access.text, verb);
  const std::string where =
      fmt::format("{} is {} {} in the loop {}", access.text, verb, apart(access), access.loop);
  if (access.lines == 0) return where;
  return access.lines == 1
             ? where + ", a line of 64 bytes each time"
             : fmt::format("{}, {:.3g} times in a line of 64 bytes", where, 1 / access.lines);
}

}  // namespace

std::vector<std::string> explain_host(const HostProfile& before, const HostProfile& after,
                                      size_t most) {
  const auto amount_text = [&](const char* what, SizeFormula HostCounts::*amount) {
    const auto value = [&](const HostProfile& profile) {
      return value_of(profile.counts.*amount, profile.sizes) / results(profile);
    };
    return change_text(what, value(before), value(after), per_result(before, before.counts.*amount),
                       per_result(after, after.counts.*amount));
  };
  const HostLoops &former = before.counts.loops, &now = after.counts.loops;
  std::vector<std::string> lines = {lines_text(before, after),
                                    binding_text(former.parallel, now.parallel, "on all cores"),
                                    aliasing_text(former, now),
                                    amount_text("loads", &HostCounts::loads),
                                    amount_text("stores", &HostCounts::stores),
                                    amount_text("operations", &HostCounts::flops),
                                    binding_text(former.unrolled, now.unrolled, "unrolled"),
                                    order_text(former, now)};
  llvm::erase_if(lines, [](const std::string& line) { return line.empty(); });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

std::string work_text(const HostProfile& profile) {
  const HostCounts& counts = profile.counts;
  return fmt::format("{} operations, {} loads and {} stores per result, as written",
                     per_result(profile, counts.flops), per_result(profile, counts.loads),
                     per_result(profile, counts.stores));
}

std::string steps_text(const HostProfile& profile) {
  std::string text;
  for (const HostAccess& access : profile.counts.accesses)
    text += fmt::format("    {}\n", step_text(access));
  return text;
}

}  // namespace hone
