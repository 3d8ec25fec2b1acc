#include "llvm/ADT/STLExtras.h"
#include "runtime/ptx/trace/choice.h"
#include "runtime/ptx/trace/event_reader.h"

namespace hone::ptx {

/// The line at hand collects events until the thread comes to one of another line.
class ThreadTrace::Steps : public Stepper {
 public:
  Steps(const ThreadChoice& choice, int64_t most_lines)
      : choice_(choice), most_lines_(most_lines) {}

  void begin(const Run& run) override {
    thread_ = number_of_thread(choice_, run.shape);
    reader_.emplace(run, LaneMask{1} << lane());
  }

  bool watches(const Block& block, int warp) const override {
    if (block.index != choice_.block || warp != thread_ / lanes) return false;
    return has_begun_ = true;
  }

  void before(Warp& warp, const Op& op) override {
    reader_->before(warp, op);
    if (!reader_->is_branch()) return;
    if (reader_->event(lane())) add(std::move(*reader_->event(lane())));
    is_closed_ |= (reader_->jumping_back() >> lane() & 1) != 0;
  }

  void after(Warp& warp, const Op& op) override {
    reader_->after(warp, op);
    if (!reader_->is_branch() && reader_->event(lane())) add(std::move(*reader_->event(lane())));
  }

  void end() override {
    const bool has_failed = reader_->is_under_way() && reader_->event(lane());
    if (has_failed) {
      reader_->event(lane())->is_over = false;
      add(std::move(*reader_->event(lane())));
      results_.clear();
    }
    finish_line();
  }

  const std::vector<TracedLine>& lines() const { return lines_; }
  int64_t more_lines() const { return more_lines_; }
  bool has_begun() const { return has_begun_; }

 private:
  int lane() const { return static_cast<int>(thread_ % lanes); }

  void add(TracedEvent event) {
    const uint32_t instruction = reader_->instruction();
    const bool is_result = event.kind == TracedEvent::Kind::result;
    if (is_result && !reader_->use().leaves_line(instruction)) return;
    const auto& [file, line] = reader_->use().line(instruction);
    if (is_closed_ || !is_open_ || at_hand_.line != line || at_hand_.file != file) {
      finish_line();
      at_hand_ = {file, line, {}};
      is_open_ = true;
    }
    if (is_result)
      results_[event.name] = std::move(event);
    else
      at_hand_.events.push_back(std::move(event));
  }

  bool is_written(const TracedEvent& result) const {
    return llvm::any_of(at_hand_.events, [&](const TracedEvent& event) {
      return event.kind == TracedEvent::Kind::store && event.values == result.values;
    });
  }

  /// Several results have no names that a reader of the text knows.
  void finish_line() {
    if (!is_open_) return;
    if (results_.size() == 1 && !is_written(results_.begin()->second))
      at_hand_.events.push_back(std::move(results_.begin()->second));
    if (static_cast<int64_t>(lines_.size()) < most_lines_)
      lines_.push_back(std::move(at_hand_));
    else
      ++more_lines_;
    results_.clear();
    is_open_ = is_closed_ = false;
  }

  const ThreadChoice choice_;
  const int64_t most_lines_;
  int64_t thread_ = 0;
  std::optional<EventReader> reader_;
  mutable bool has_begun_ = false;

  TracedLine at_hand_;
  bool is_open_ = false, is_closed_ = false;
  std::map<std::string, TracedEvent> results_;  ///< the last of each register
  std::vector<TracedLine> lines_;
  int64_t more_lines_ = 0;
};

ThreadTrace::ThreadTrace(const ThreadChoice& choice, int64_t most_lines)
    : steps_(std::make_unique<Steps>(choice, most_lines)) {}
ThreadTrace::~ThreadTrace() = default;
Stepper& ThreadTrace::stepper() const { return *steps_; }
const std::vector<TracedLine>& ThreadTrace::lines() const { return steps_->lines(); }
int64_t ThreadTrace::more_lines() const { return steps_->more_lines(); }
bool ThreadTrace::has_begun() const { return steps_->has_begun(); }

}  // namespace hone::ptx
