// The table of `hone tune --table`: where the incumbent is from, and the winner goes to.
#pragma once

#include "dsl/tune_table.h"
#include "tools/cli/tune/tuning.h"

namespace hone {

/// The part of a table that is about a rung at the sizes of a search.
class Winners {
 public:
  /// A file that does not exist is an empty table. Throws tune::TableError where it is
  /// none, and RuntimeError where it cannot be written.
  Winners(const std::string& path, const RungRef& rung, const TuneOptions& options,
          const MeasureMachine& machine);

  /// The steps that the table has; nothing where it has none.
  std::optional<std::string> incumbent() const;
  /// Adds the winner to the file. A time of the model takes no measured one's place. Returns what
  /// became of it: "tuned.jsonl has it now, for H100 SXM at n=1024". Throws RuntimeError where the
  /// file takes no more.
  std::string add(const Tuning& tuning);

 private:
  std::string path_;
  tune::Table table_;
  MeasureMachine machine_;
  Function program_;
  tune::Line line_;  ///< of these sizes, without a schedule
};

}  // namespace hone
