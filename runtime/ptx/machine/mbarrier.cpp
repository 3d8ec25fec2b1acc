#include "runtime/ptx/machine/mbarrier.h"

#include "fmt/format.h"
#include "runtime/ptx/machine/block.h"
#include "runtime/ptx/machine/report.h"

namespace hone::ptx {
namespace {

// Bits of the word: expected 0 to 19, pending 20 to 39, bytes 40 to 60, the parity 61, and `tag`.
constexpr int pending_bit = 20, bytes_bit = 40, parity_bit = 61, tag_bit = 62, bytes_bits = 21;
constexpr uint64_t tag = 2, count_mask = (1 << 20) - 1, bytes_mask = (1 << bytes_bits) - 1;

}  // namespace

std::optional<Mbarrier> Mbarrier::of(uint64_t word) {
  if (word >> tag_bit != tag) return std::nullopt;
  Mbarrier result;
  result.expected = static_cast<int64_t>(word & count_mask);
  result.pending = static_cast<int64_t>(word >> pending_bit & count_mask);
  const auto bytes = static_cast<int64_t>(word >> bytes_bit & bytes_mask);
  result.bytes = bytes > most ? bytes - (int64_t{1} << bytes_bits) : bytes;
  result.parity = (word >> parity_bit & 1) != 0;
  return result;
}

std::optional<Mbarrier> Mbarrier::read(const std::byte* data) {
  uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  return of(word);
}

uint64_t Mbarrier::word() const {
  return static_cast<uint64_t>(expected) | static_cast<uint64_t>(pending) << pending_bit |
         (static_cast<uint64_t>(bytes) & bytes_mask) << bytes_bit | uint64_t{parity} << parity_bit |
         tag << tag_bit;
}

void Mbarrier::write(std::byte* data) const {
  const uint64_t bits = word();
  std::memcpy(data, &bits, sizeof bits);
}

// ---- Phases -------------------------------------------------------------------------------------

namespace {

[[noreturn]] void fail_in_lane(const Warp& warp, int lane, const std::string& what) {
  ptx::fail(warp, lane, {FindingKind::invalid_operation, what, "uses the mbarrier there"});
}

[[noreturn]] void fail_for_engine(const AsyncOperation& operation, const std::string& what) {
  Report::Finding finding;
  finding.kind = FindingKind::invalid_operation;
  finding.what = what;
  if (operation.detail) {
    const Program& program = operation.block->run.program;
    finding.sites.push_back(site_of(*operation.block,
                                    program.memory[operation.detail->writes].place,
                                    operation.thread, "starts the copy"));
  }
  throw Fault{std::move(finding)};
}

/// One mbarrier that somebody changes: a lane, or an engine.
class Change {
 public:
  Change(const Found& place, const Warp& warp, int lane)
      : place_(place), warp_(&warp), lane_(lane), now(read()) {}
  Change(const Found& place, const AsyncOperation& operation)
      : place_(place), operation_(&operation), now(read()) {}

  void arrive(int64_t count, bool drops = false) {
    if (count > now.pending)
      fail(fmt::format("{} more of the arrivals at an mbarrier, whose phase waits for {} of {}",
                       count, now.pending, now.expected));
    now.pending -= count;
    if (drops) now.expected -= count;
  }
  void expect(int64_t bytes) {
    now.bytes += bytes;
    if (now.bytes > Mbarrier::most || now.bytes < -Mbarrier::most)
      fail(fmt::format("a phase of an mbarrier waits for {} bytes; up to {} are possible",
                       now.bytes, Mbarrier::most));
  }
  bool is_complete() const { return now.pending == 0 && now.bytes == 0; }
  /// Ends the phase where nothing is left to wait for.
  void finish() {
    if (is_complete()) {
      now.parity = !now.parity;
      now.pending = now.expected;
      if (Observer* observer = place_.owner->observer.get()) observer->end_phase(place_);
    }
    now.write(place_.data);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    if (operation_) fail_for_engine(*operation_, what);
    fail_in_lane(*warp_, lane_, what);
  }
  Mbarrier read() const {
    if (const auto known = Mbarrier::read(place_.data)) return *known;
    fail(fmt::format("byte {} of shared memory holds no mbarrier that was initialised",
                     place_.address));
  }

  Found place_;
  const Warp* warp_ = nullptr;
  int lane_ = 0;
  const AsyncOperation* operation_ = nullptr;

 public:
  Mbarrier now;
};

}  // namespace

void complete_bytes(const AsyncOperation& operation) {
  Change change(operation.mbarrier, operation);
  if (Observer* observer = operation.block->observer.get()) observer->arrive(operation);
  change.expect(-operation.counted);
  change.finish();
}

void arrive_for_copies(const AsyncOperation& operation) {
  Change change(operation.mbarrier, operation);
  if (Observer* observer = operation.block->observer.get()) observer->arrive(operation);
  change.arrive(1);
  change.finish();
}

// ---- Ops ----------------------------------------------------------------------------------------

namespace {

/// Calls `use(lane, place)` for the mbarriers of the active lanes, one after the other.
template <class Use>
void for_each_mbarrier(Warp& warp, const Op& op, const Use& use) {
  const MemoryDetail& detail = warp.block->run.program.memory[op.detail];
  Targets targets;
  find_targets(warp, op, detail, targets);
  for_each_lane(warp.active,
                [&](int lane) { use(lane, shared_place(*warp.block, targets.address[lane])); });
}

int64_t value_in(const Warp& warp, Ref ref, int lane) { return warp.at<uint32_t>(ref)[lane]; }

}  // namespace

void run_init_mbarrier(Warp& warp, const Op& op) {
  for_each_mbarrier(warp, op, [&](int lane, const Found& place) {
    const int64_t count = value_in(warp, op.sources[1], lane);
    if (count < 1 || count > Mbarrier::most)
      fail_in_lane(warp, lane,
                   fmt::format("an mbarrier for {} arrivals; from 1 to {} are possible", count,
                               Mbarrier::most));
    if (Mbarrier::read(place.data))
      fail_in_lane(warp, lane,
                   "an mbarrier is initialised where one is that mbarrier.inval has not ended");
    Mbarrier{.expected = count, .pending = count}.write(place.data);
  });
}

void run_invalidate_mbarrier(Warp& warp, const Op& op) {
  for_each_mbarrier(warp, op, [&](int lane, const Found& place) {
    const Change check(place, warp, lane);
    std::memset(place.data, 0, sizeof(uint64_t));
  });
}

namespace {

template <ArrivalKind kind>
void run_arrive(Warp& warp, const Op& op) {
  constexpr bool drops = kind == ArrivalKind::drops || kind == ArrivalKind::drops_no_complete;
  constexpr bool may_complete = kind == ArrivalKind::plain || kind == ArrivalKind::drops;
  for_each_mbarrier(warp, op, [&](int lane, const Found& place) {
    Change change(place, warp, lane);
    if (op.destination.exists()) warp.at<uint64_t>(op.destination)[lane] = change.now.word();
    if (Observer* observer = warp.block->observer.get()) observer->arrive(warp, lane, place);
    if (op.sources[2].exists()) change.expect(value_in(warp, op.sources[2], lane));
    change.arrive(value_in(warp, op.sources[1], lane), drops);
    if (!may_complete && change.is_complete())
      fail_in_lane(warp, lane, "an arrival with .noComplete ends the phase of its mbarrier");
    change.finish();
  });
}

template <int sign>
void run_count_bytes(Warp& warp, const Op& op) {
  for_each_mbarrier(warp, op, [&](int lane, const Found& place) {
    Change change(place, warp, lane);
    change.expect(sign * value_in(warp, op.sources[1], lane));
    change.finish();
  });
}

/// A phase that has not ended lets others run.
template <class HasEnded>
void test(Warp& warp, const Op& op, const HasEnded& has_ended) {
  LaneMask ended = 0;
  for_each_mbarrier(warp, op, [&](int lane, const Found& place) {
    const Change check(place, warp, lane);
    if (!has_ended(lane, check.now)) return;
    ended |= LaneMask{1} << lane;
    if (Observer* observer = warp.block->observer.get()) observer->pass(warp, lane, place);
  });
  warp.has_looked = true;
  warp.yields |= ended != warp.active;
  if (op.destination.exists())
    write_predicate(warp, op.destination, [&](int lane) { return (ended >> lane & 1) != 0; });
}

}  // namespace

Op::Execute arrive_op(ArrivalKind kind) {
  switch (kind) {
    case ArrivalKind::plain:
      return run_arrive<ArrivalKind::plain>;
    case ArrivalKind::no_complete:
      return run_arrive<ArrivalKind::no_complete>;
    case ArrivalKind::drops:
      return run_arrive<ArrivalKind::drops>;
    default:
      return run_arrive<ArrivalKind::drops_no_complete>;
  }
}

void run_expect_bytes(Warp& warp, const Op& op) { run_count_bytes<1>(warp, op); }

void run_complete_bytes(Warp& warp, const Op& op) { run_count_bytes<-1>(warp, op); }

void run_test_state(Warp& warp, const Op& op) {
  const auto* state = warp.at<uint64_t>(op.sources[1]);
  test(warp, op, [&](int lane, const Mbarrier& now) {
    const auto then = Mbarrier::of(state[lane]);
    if (!then) fail_in_lane(warp, lane, "the state that it waits for comes from no arrival");
    return then->parity != now.parity;
  });
}

void run_test_parity(Warp& warp, const Op& op) {
  const auto* parity = warp.at<uint32_t>(op.sources[1]);
  test(warp, op, [&](int lane, const Mbarrier& now) {
    return (parity[lane] & 1) != static_cast<uint32_t>(now.parity);
  });
}

void run_pending_count(Warp& warp, const Op& op) {
  const auto* state = warp.at<uint64_t>(op.sources[0]);
  write_lanes<uint32_t>(warp, op.destination, [&](int lane) {
    return static_cast<uint32_t>(state[lane] >> pending_bit & count_mask);
  });
}

void run_arrive_behind_copies_noinc(Warp& warp, const Op& op) {
  for_each_mbarrier(warp, op, [&](int lane, const Found& place) {
    const Change check(place, warp, lane);
    arrive_behind_copies(warp, lane, place);
  });
}

/// The phase waits for one arrival more, which is that one.
void run_arrive_behind_copies(Warp& warp, const Op& op) {
  for_each_mbarrier(warp, op, [&](int lane, const Found& place) {
    Change change(place, warp, lane);
    ++change.now.pending;
    change.now.write(place.data);
    arrive_behind_copies(warp, lane, place);
  });
}

}  // namespace hone::ptx
