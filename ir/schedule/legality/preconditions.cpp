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

namespace {

/// The state of a loop that a step has given a place, and the name of that step.
struct Placed {
  std::string state, step;
};

Placed placed_by(const Binding& binding) {
  switch (binding.kind) {
    case Binding::Kind::unroll:
      return {"unrolled", "unrolling"};
    case Binding::Kind::vectorize:
      return {"vectorised", "vectorising"};
    case Binding::Kind::roles:
      return {"specialised", "specialising"};
    case Binding::Kind::instr:
      return {"computed by " + to_string(binding), "tensorising"};
    default:
      return {fmt::format("bound to {}", to_string(binding)), "binding"};
  }
}

}  // namespace

Site Preconditions::find_serial(const AxisPtr& axis) const {
  Site site = find(axis);
  if (site.loop().binding.is_serial()) return site;
  const Placed placed = placed_by(site.loop().binding);
  const bool takes_its_place =
      primitive_ == "bind" || primitive_ == "unroll" || primitive_ == "vectorize";
  const bool is_specialised = site.loop().binding.kind == Binding::Kind::roles;
  refuse(site.statement.get(), fmt::format("{} is {} already", axis->name, placed.state),
         takes_its_place ? "a loop is bound, unrolled or vectorised once"
         : is_specialised && primitive_ == "specialize"
             ? "its tiles are cached, and copied by copy_async, before that"
             : fmt::format("{} before {} it",
                           primitive_ == "write_out" ? "write it out" : primitive_ + " it",
                           placed.step));
}

Site Preconditions::find_unplaced(const AxisPtr& axis) const {
  Site site = find(axis);
  return site.loop().binding.is_unrolled_in_full() ? site : find_serial(axis);
}

void Preconditions::refuse(const StmtNode* culprit, std::string message, std::string note) const {
  throw ScheduleError(primitive_, std::move(message), std::move(note)).mark(function_, culprit);
}

}  // namespace hone
