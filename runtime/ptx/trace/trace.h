// A debugger's view of a launch: what one thread did, line by line, and the lanes of a warp at a
// line.
#pragma once

#include <memory>
#include <optional>

#include "runtime/ptx/device.h"
#include "runtime/ptx/machine/stepper.h"

namespace hone::ptx {

/// A place in memory.
struct TracedPlace {
  std::string array;    ///< "x", "tile"; of no array, a text: "4 bytes behind the end of x"
  int64_t offset = -1;  ///< in bytes from its begin; -1: it is in no array
};

/// One deed of an instruction for a lane.
struct TracedEvent {
  enum class Kind : uint8_t {
    load,      ///< `values` from `place`
    store,     ///< `values` to `place`
    atomic,    ///< `name` ("add") of `values` at `place`; `old` lay there, if the thread wants it
    copy,      ///< `number` bytes from `from` to `place`, by cp.async
    shuffle,   ///< `values` from lane `number`; they came from the array of `place`, if any
    exchange,  ///< `values` come of `name`: "vote.sync.ballot.b32"
    compare,   ///< `values` are two, and `name` holds between them: "<"
    branch,    ///< as `compare`, if it is known; to line `number`, or 0: it goes on
    barrier,   ///< `name`: "bar.sync"
    call,      ///< of the function `name`
    other,     ///< the instruction `name`
    special,   ///< `values` are those of `name`: "threadIdx.x"
    result,    ///< `values` are what arithmetic of the line leaves; `name` is the register
  };

  Kind kind = Kind::other;
  std::string name{};
  TracedPlace place{}, from{};
  Type type = Type::none;  ///< of an element of `values`
  std::vector<std::byte> values{}, old{};
  int64_t number = 0;
  bool is_over = true;  ///< false of an access that ended the launch
};

/// A line, as the thread came to it.
struct TracedLine {
  std::string file;
  int line = 0;
  std::vector<TracedEvent> events;
};

struct ThreadChoice {
  std::array<int64_t, 3> block{}, thread{};
};

/// Deeds of a thread, in their order.
class ThreadTrace {
 public:
  ThreadTrace(const ThreadChoice& choice, int64_t most_lines);
  ~ThreadTrace();
  /// For LaunchOptions. Its begin() refuses threads that the launch has not got.
  Stepper& stepper() const;

  const std::vector<TracedLine>& lines() const;
  int64_t more_lines() const;  ///< those behind the first `most_lines`
  bool has_begun() const;      ///< the block of the thread has run

 private:
  class Steps;
  std::unique_ptr<Steps> steps_;
};

/// A line of the text to stop at.
struct LineChoice {
  std::string file;  ///< the end of its path; empty: that of the kernel
  int line = 0;
  int64_t visit = 1;  ///< stops the so manyth time
};

/// A warp at a line: what its lanes did there.
struct LineStop {
  /// One instruction; a lane that did not run it has no event.
  struct Column {
    uint32_t instruction = 0;
    std::array<std::optional<TracedEvent>, 32> lanes{};
  };

  std::string file;
  int line = 0;
  std::array<int64_t, 3> block{};
  int warp = 0;
  uint32_t present = 0, active = 0;  ///< lanes of the warp; those that came to the line
  std::array<std::array<int64_t, 3>, 32> threads{};
  std::vector<Column> columns;
};

class LineBreak {
 public:
  LineBreak(const ThreadChoice& choice, LineChoice line);
  ~LineBreak();
  /// For LaunchOptions. Its begin() refuses lines without code, too.
  Stepper& stepper() const;

  /// Null where the warp has not come there that often.
  const LineStop* stop() const;
  int64_t visits() const;
  bool has_begun() const;

 private:
  class Stops;
  std::unique_ptr<Stops> stops_;
};

}  // namespace hone::ptx
