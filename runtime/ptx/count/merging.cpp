#include "runtime/ptx/count/merging.h"

#include <bit>

#include "llvm/ADT/STLExtras.h"

namespace hone::ptx {
namespace {

/// More steps of a loop than these are no neighbours in machine code.
constexpr size_t most_open = 64;

/// True if both have the same address in each active lane.
bool is_same_piece(const WarpAccess& lhs, const WarpAccess& rhs) {
  const int first = std::countr_zero(lhs.active);
  if (lhs.active != rhs.active || lhs.addresses[first] != rhs.addresses[first]) return false;
  for (int lane = first; lane < lanes; ++lane)
    if ((lhs.active >> lane & 1) != 0 && lhs.addresses[lane] != rhs.addresses[lane]) return false;
  return true;
}

}  // namespace

void Merging::add(const CompiledAccess& fate, AccessKey first, const WarpAccess& access,
                  Complete complete) {
  Open piece{first, fate.width, 0, access};
  const int64_t address = access.addresses[std::countr_zero(access.active)];
  const auto begin = static_cast<int>(address & (fate.width - 1));
  for (int64_t& one : piece.access.addresses) one -= begin;
  piece.bytes = ((1u << access.width) - 1) << begin;
  std::vector<Open>& open = open_[fate.group];
  const auto found = llvm::find_if(
      open, [&](const Open& other) { return is_same_piece(other.access, piece.access); });
  if (found != open.end() && (found->bytes & piece.bytes) == 0) {
    found->bytes |= piece.bytes;
    return;
  }
  if (found != open.end() || open.size() >= most_open) {
    for (const Open& one : open) finish(one, complete);
    open.clear();
  }
  open.push_back(piece);
}

void Merging::end(Complete complete) {
  for (const auto& [group, open] : open_)
    for (const Open& one : open) finish(one, complete);
  open_.clear();
}

/// As few bytes as hold all that is asked for.
void Merging::finish(const Open& open, Complete complete) {
  const int begin = std::countr_zero(open.bytes), end = 31 - std::countl_zero(open.bytes);
  int width = 1;
  while (begin / width != end / width) width *= 2;
  WarpAccess access = open.access;
  access.width = width;
  const int64_t first = begin & ~(width - 1);
  for (int64_t& address : access.addresses) address += first;
  complete(open.first, access);
}

}  // namespace hone::ptx
