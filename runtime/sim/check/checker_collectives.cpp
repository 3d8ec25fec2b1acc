// Check mode of what lanes and blocks do together: shuffles and arrivals.

#include "fmt/format.h"
#include "runtime/sim/check/checker.h"
#include "runtime/sim/collective.h"
#include "runtime/sim/report.h"

namespace hone {
void Checker::on_shuffle(Worker& worker, const Instruction& instruction) {
  const ShuffleDetail& shuffle = worker.program.shuffles[instruction.detail];
  const auto* lanes = worker.at<int64_t>(instruction.operands[1]);
  Checker& checker = checker_of(worker);
  checker.check_lanes(worker, shuffle, lanes);
  checker.shuffle(worker, shuffle, worker.at<int64_t>(instruction.operands[0]), lanes);
}

/// The lanes of a warp that take part are the first so many, as all of them say.
void Checker::check_lanes(Worker& worker, const ShuffleDetail& shuffle, const int64_t* lanes) {
  for (int first = 0; first < worker.lanes; first += warp_lanes) {
    const int end = std::min(first + warp_lanes, worker.lanes);
    int active = 0, wrong = -1;
    int64_t named = 0;
    for (int lane = first; lane < end; ++lane) {
      if (!worker.mask->has(lane)) continue;
      if (active++ == 0) named = lanes[lane];
      if (lanes[lane] != named || lane - first >= named) wrong = lane;
    }
    if (active == 0 || (wrong < 0 && active == named)) continue;
    report_shuffle(
        worker, shuffle.statement, wrong < 0 ? first : wrong,
        fmt::format("{} lanes of a warp come to a shuffle of the first {}", active, named));
  }
}

/// A lane gets the flag of its partner's value, and an unset one if it has no partner.
void Checker::shuffle(Worker& worker, const ShuffleDetail& shuffle, const int64_t* offsets,
                      const int64_t* lanes) {
  std::vector<int> partners(worker.lanes, -1);
  bool has_all = true;
  worker.mask->for_each([&](int lane) {
    partners[lane] = partner_of(worker, shuffle.mode, lane, offsets[lane], lanes[lane]);
    has_all &= partners[lane] >= 0;
  });
  for (Moving& moved : moving_) {
    const bool is_inside =
        moved.source >= shuffle.first_access && moved.source < shuffle.end_access;
    if (!is_inside || (moved.flags.all && has_all)) continue;
    LaneFlags received = {false, std::vector<uint8_t>(worker.lanes, 1),
                          std::vector<int64_t>(worker.lanes, LaneFlags::nowhere)};
    worker.mask->for_each([&](int lane) {
      if (partners[lane] >= 0) received.origins[lane] = moved.flags.origin(partners[lane]);
      received.lanes[lane] = partners[lane] >= 0 && moved.flags.has(partners[lane]);
    });
    moved.flags = std::move(received);
  }
}

void Checker::on_arrival(Worker& worker, const Instruction& instruction) {
  checker_of(worker).arrive(worker, instruction.detail,
                            *worker.at<uint8_t>(instruction.operands[0]) != 0);
}

void Checker::arrive(Worker& worker, uint32_t number, bool is_last) {
  const Access& access = worker.program.accesses[number];
  const int lane = worker.mask->first();
  if (const int count = worker.mask->count(); count > 1)
    findings_.add(place(several_arrivals(worker, access, count)));
  if (arrival_.exists()) return;  // the first one orders
  const Cells cells = cells_of(worker, access);
  const int64_t element = open_access(worker, access).element(lane);
  arrival_ =
      Arrival(clocks_, worker.thread(lane), cells.origin + element * cells.per_element, is_last);
  clocks_.tick(worker.thread(lane));
  state_.shadow.add(block_, global_, others_, arrival_);
}

void Checker::report_shuffle(Worker& worker, uint32_t statement, int lane, std::string detail) {
  folded_.add(FindingKind::divergent_shuffle, statement, statement, [&] {
    Finding finding;
    finding.kind = FindingKind::divergent_shuffle;
    finding.detail = std::move(detail);
    finding.sites = {site_of(worker, statement, lane)};
    return place(std::move(finding));
  });
}

}  // namespace hone
