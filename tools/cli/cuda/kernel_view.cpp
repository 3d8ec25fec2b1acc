#include "tools/cli/cuda/kernel_view.h"

#include "llvm/ADT/StringExtras.h"
#include "runtime/sim/finding.h"
#include "tools/cli/cuda/trace_text.h"

namespace hone {
namespace {

using llvm::StringRef;

constexpr int64_t default_trace_lines = 400;

/// The next word or number; empty at the end.
StringRef next_token(StringRef& text) {
  text = text.ltrim(" =:,()");
  const StringRef token = text.take_while([](char c) { return llvm::isAlnum(c) || c == '-'; });
  text = text.drop_front(std::max<size_t>(token.size(), text.empty() ? 0 : 1));
  return token;
}

[[noreturn]] void refuse_choice(const std::string& text) {
  throw UsageError("--trace takes block:X,Y,Z,thread:X,Y,Z, got '{}'", text);
}

int64_t line_limit(const Arguments& arguments) {
  const auto text = arguments.value("--trace-limit");
  int64_t most = default_trace_lines;
  if (text && (StringRef(*text).getAsInteger(10, most) || most < 1))
    throw UsageError("--trace-limit takes a number from 1 on, got '{}'", *text);
  return most;
}

}  // namespace

ptx::ThreadChoice read_thread_choice(const std::string& text) {
  ptx::ThreadChoice choice;
  std::array<int64_t, 3>* extents = nullptr;
  size_t count = 0, known = 0;
  for (StringRef left = text; !left.empty();) {
    const StringRef token = next_token(left);
    int64_t number = 0;
    if (token == "block" || token == "thread") {
      extents = token == "block" ? &choice.block : &choice.thread;
      count = 0;
    } else if (!token.empty() && extents && count < 3 && !token.getAsInteger(10, number)) {
      (*extents)[count++] = number;
      ++known;
    } else if (!token.empty() || !left.empty()) {
      refuse_choice(text);
    }
  }
  if (known == 0) refuse_choice(text);
  return choice;
}

ptx::LineChoice read_line_choice(const std::string& text) {
  ptx::LineChoice choice;
  llvm::SmallVector<StringRef, 4> parts;
  StringRef(text).split(parts, ':');
  int64_t number = 0;
  if (parts.front().getAsInteger(10, number)) {
    choice.file = parts.front().str();
    parts.erase(parts.begin());
  }
  const bool is_right =
      (parts.size() == 1 || parts.size() == 2) && !parts[0].getAsInteger(10, choice.line) &&
      choice.line > 0 &&
      (parts.size() == 1 || (!parts[1].getAsInteger(10, choice.visit) && choice.visit > 0));
  if (!is_right) throw UsageError("--break takes [FILE:]LINE[:COUNT], got '{}'", text);
  return choice;
}

KernelView::KernelView(const Arguments& arguments) {
  const auto thread = arguments.value("--trace"), line = arguments.value("--break");
  if (thread) choice_ = read_thread_choice(*thread);
  if ((thread || line) && arguments.has("--json"))
    throw UsageError("{} prints text, and --json prints data; leave one of them out",
                     thread ? "--trace" : "--break");
  if (line) {
    break_text_ = *line;
    break_ = std::make_unique<ptx::LineBreak>(choice_, read_line_choice(*line));
  } else if (thread) {
    trace_ = std::make_unique<ptx::ThreadTrace>(choice_, line_limit(arguments));
  }
}

void KernelView::watch(ptx::LaunchOptions& options) const {
  if (trace_) options.stepper = &trace_->stepper();
  if (break_) options.stepper = &break_->stepper();
}

std::string KernelView::text(const KernelRun& run) const {
  if (!trace_ && !break_) return "";
  const bool has_begun = trace_ ? trace_->has_begun() : break_->has_begun();
  if (!has_begun)
    return fmt::format("block {} has not run: --blocks leaves it out, or the launch ended before\n",
                       triple(choice_.block));
  if (trace_) return trace_text(*trace_, choice_, run);
  if (const ptx::LineStop* stop = break_->stop()) return stop_text(*stop, run);
  return fmt::format("--break={}: the warp of thread {} of block {} comes there {} time{}\n",
                     break_text_, triple(choice_.thread), triple(choice_.block), break_->visits(),
                     break_->visits() == 1 ? "" : "s");
}

}  // namespace hone
