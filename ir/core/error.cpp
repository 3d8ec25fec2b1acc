#include "ir/core/error.h"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>

#include "ir/text/printer.h"

namespace hone {

ScheduleError::ScheduleError(std::string primitive, std::string message, std::string note)
    : primitive_(std::move(primitive)), message_(std::move(message)), note_(std::move(note)) {
  compose();
}

ScheduleError& ScheduleError::mark(const Function& function, const StmtNode* culprit) {
  nest_ = excerpt(function, culprit);
  compose();
  return *this;
}

ScheduleError& ScheduleError::at(Location location) {
  location_ = location;
  compose();
  return *this;
}

ScheduleError& ScheduleError::during(std::string primitive) {
  primitive_ = std::move(primitive);
  compose();
  return *this;
}

void ScheduleError::compose() {
  text_.clear();
  if (location_.file) text_ = fmt::format("{}:{}: ", location_.file, location_.line);
  text_ += fmt::format("error: {}: {}", primitive_, message_);
  if (!nest_.empty()) text_ += "\n" + nest_;
  while (text_.back() == '\n') text_.pop_back();
  if (!note_.empty()) text_ += "\nnote: " + note_;
}

std::string report_of(const std::exception& error) {
  const auto* located = dynamic_cast<const LocatedError*>(&error);
  const bool says_error =
      dynamic_cast<const ScheduleError*>(&error) || (located && located->is_located());
  return (says_error ? "" : "error: ") + std::string(error.what());
}

std::string join_names(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (size_t n = 0; n < names.size(); ++n)
    text += (n == 0 ? "" : n + 1 == names.size() ? " and " : ", ") + names[n];
  return text;
}

/// True if two neighbours in the one have changed places in the other.
static bool is_swapped(llvm::StringRef one, llvm::StringRef other) {
  if (one.size() != other.size() || one == other) return false;
  const size_t at = std::mismatch(one.begin(), one.end(), other.begin()).first - one.begin();
  return at + 1 < one.size() && one[at] == other[at + 1] && one[at + 1] == other[at] &&
         one.drop_front(at + 2) == other.drop_front(at + 2);
}

std::string closest(llvm::StringRef name, llvm::ArrayRef<std::string> known) {
  for (const std::string& candidate : known)
    if (name.equals_insensitive(candidate)) return candidate;
  const unsigned limit = std::max<unsigned>(1, name.size() / 3);
  unsigned least = limit + 1;
  std::string best;
  for (const std::string& candidate : known) {
    const unsigned distance =
        is_swapped(name, candidate)
            ? 1
            : name.edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

// ---- Errors that nobody catches -----------------------------------------------------------------

namespace {

/// True of an exception of this library.
bool is_ours(const std::exception& error) {
  int status = 0;
  char* const name = abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status);
  const bool result = name && llvm::StringRef(name).startswith("hone::");
  std::free(name);
  return result;
}

/// Ends the process as a refusal: what it has printed so far, the error, and the exit status 1.
void end_with(const std::exception& error) {
  std::fflush(nullptr);
  std::fprintf(stderr, "%s\n", report_of(error).c_str());
  std::_Exit(EXIT_FAILURE);
}

std::terminate_handler other_handler = nullptr;

[[noreturn]] void report_uncaught() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::exception& error) {
    if (is_ours(error)) end_with(error);
  } catch (...) {
  }
  other_handler();
  std::abort();
}

[[maybe_unused]] const bool is_installed = [] {
  other_handler = std::set_terminate(report_uncaught);
  return true;
}();

}  // namespace

}  // namespace hone
