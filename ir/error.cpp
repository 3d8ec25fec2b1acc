#include "ir/error.h"

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

std::string join_names(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (size_t n = 0; n < names.size(); ++n)
    text += (n == 0 ? "" : n + 1 == names.size() ? " and " : ", ") + names[n];
  return text;
}

}  // namespace hone
