#include "runtime/ptx/trace/choice.h"
#include "runtime/ptx/trace/event_reader.h"

namespace hone::ptx {

/// A visit of a line ends where the lanes do something visible elsewhere, or jump back.
class LineBreak::Stops : public Stepper {
 public:
  Stops(const ThreadChoice& choice, LineChoice line) : choice_(choice), line_(std::move(line)) {}

  void begin(const Run& run) override {
    thread_ = number_of_thread(choice_, run.shape);
    reader_.emplace(run, all_lanes);
    text_.emplace(run, line_);
  }

  bool watches(const Block& block, int warp) const override {
    if (block.index != choice_.block || warp != thread_ / lanes) return false;
    return has_begun_ = true;
  }

  /// Behind the visit that is asked for, nothing is read any more.
  void before(Warp& warp, const Op& op) override {
    if (is_done_) return;
    const uint32_t number = warp.at_hand.frame->code->instruction_of[warp.here()];
    is_here_ = text_->has(*warp.at_hand.frame->code, number);
    if (is_in_ && (present_ & warp.at_hand.lanes) == 0) leave();
    if (is_here_ && !is_in_) enter(warp);
    reader_->before(warp, op);
    if (reader_->is_branch()) take(false);
    if (reader_->is_branch() && (reader_->jumping_back() & present_) != 0) leave();
  }

  void after(Warp& warp, const Op& op) override {
    if (is_done_) return;
    reader_->after(warp, op);
    if (!reader_->is_branch()) take(true);
  }

  void end() override {
    if (is_in_ && reader_->is_under_way()) take(false);
    leave();
  }

  const LineStop* stop() const { return stop_ ? &*stop_ : nullptr; }
  int64_t visits() const { return visits_; }
  bool has_begun() const { return has_begun_; }

 private:
  bool is_wanted() const { return visits_ == line_.visit; }

  void enter(const Warp& warp) {
    is_in_ = true;
    present_ = warp.at_hand.lanes;
    if (++visits_ != line_.visit) return;
    const Block& block = *warp.block;
    stop_ =
        LineStop{text_->file(), line_.line, block.index, warp.number, warp.live, present_, {}, {}};
    for_each_lane(all_lanes,
                  [&](int lane) { stop_->threads[lane] = block.thread_index(warp, lane); });
  }

  void leave() {
    if (is_in_ && is_wanted()) is_done_ = true;
    is_in_ = false;
  }

  void take(bool is_over) {
    LineStop::Column column;
    column.instruction = reader_->instruction();
    bool is_visible = false;
    for_each_lane(present_, [&](int lane) {
      std::optional<TracedEvent>& event = reader_->event(lane);
      if (!event) return;
      is_visible = true;
      event->is_over = is_over || reader_->is_branch();
      column.lanes[lane] = std::move(event);
    });
    if (!is_in_ || !is_visible) return;
    if (!is_here_) return leave();
    if (is_wanted()) stop_->columns.push_back(std::move(column));
  }

  const ThreadChoice choice_;
  const LineChoice line_;
  int64_t thread_ = 0;
  std::optional<EventReader> reader_;
  std::optional<LinesOfText> text_;
  mutable bool has_begun_ = false;

  bool is_here_ = false, is_in_ = false, is_done_ = false;
  LaneMask present_ = 0;
  int64_t visits_ = 0;
  std::optional<LineStop> stop_;
};

LineBreak::LineBreak(const ThreadChoice& choice, LineChoice line)
    : stops_(std::make_unique<Stops>(choice, std::move(line))) {}
LineBreak::~LineBreak() = default;
Stepper& LineBreak::stepper() const { return *stops_; }
const LineStop* LineBreak::stop() const { return stops_->stop(); }
int64_t LineBreak::visits() const { return stops_->visits(); }
bool LineBreak::has_begun() const { return stops_->has_begun(); }

}  // namespace hone::ptx
