#include "ir/schedule/legality/preconditions.h"

namespace hone {

Preconditions::Preconditions(llvm::StringRef primitive, const Function& function,
                             const TensorPtr& tensor)
    : Preconditions(primitive, function) {
  if (!tensor) refuse(nullptr, "the tensor is a null pointer");
}

Site Preconditions::find(const AxisPtr& axis) const {
  if (!axis) refuse(nullptr, "an axis is a null pointer");
  if (std::optional<Site> site = find_site(function_, axis.get())) return *site;
  llvm::SmallVector<std::string, 8> names;
  for (const For* loop : loops_of(function_.body)) names.push_back(loop->axis->name);
  refuse(nullptr, fmt::format("{} has no axis {}", function_.name, axis->name),
         names.empty() ? "there are no loops left" : "its axes are " + join_names(names));
}

Site Preconditions::find_serial(const AxisPtr& axis) const {
  Site site = find(axis);
  const Binding& binding = site.loop().binding;
  if (binding.is_serial()) return site;
  const bool is_unrolled = binding.kind == Binding::Kind::unroll;
  const bool is_vector = binding.kind == Binding::Kind::vectorize;
  const bool takes_its_place =
      primitive_ == "bind" || primitive_ == "unroll" || primitive_ == "vectorize";
  refuse(site.statement.get(),
         is_unrolled ? fmt::format("{} is unrolled already", axis->name)
         : is_vector ? fmt::format("{} is vectorised already", axis->name)
                     : fmt::format("{} is bound to {} already", axis->name, to_string(binding)),
         takes_its_place
             ? "a loop is bound, unrolled or vectorised once"
             : fmt::format("{} before {} it",
                           primitive_ == "write_out" ? "write it out" : primitive_ + " it",
                           is_unrolled ? "unrolling"
                           : is_vector ? "vectorising"
                                       : "binding"));
}

void Preconditions::refuse(const StmtNode* culprit, std::string message, std::string note) const {
  throw ScheduleError(primitive_, std::move(message), std::move(note)).mark(function_, culprit);
}

}  // namespace hone
