// Tables of schedules: what `hone tune --table=FILE` has found, by program, GPU and sizes.
//
//   const tune::Table table = tune::Table::read("tuned.jsonl");
//   Kernel kernel = compile(table.schedule(program, {{"n", 1 << 20}}, "H100 SXM"));
//
// A table is a file with a line of JSON for each schedule; docs/json.md names the fields.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "dsl/schedule.h"
#include "ir/interpret/buffer.h"

namespace hone::tune {

/// A table that cannot be read, or that has no schedule.
class TableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A line of a table: the best schedule for a program at some sizes on a GPU.
struct Line {
  std::string program;     ///< the text of its function without a schedule
  std::string gpu;         ///< "H100 SXM"; gpu_name() of runtime/model/gpus.h has that of a device
  Sizes sizes;             ///< of the program's params
  std::string parameters;  ///< of the schedule, as to_text() has them; for people
  std::string steps;       ///< which Schedule::replay() reads
  double milliseconds = 0;
  bool is_measured = false;  ///< else the time is the model's
  std::string by;            ///< who measured: GPU, driver, NVRTC, Hone
};

class Table {
 public:
  /// An empty one. `name` stands in errors.
  explicit Table(std::string name) : name_(std::move(name)) {}
  /// Throws TableError where the file cannot be read, and for a line that is none of a table or of
  /// another version.
  static Table read(const std::string& path);

  /// Takes the place of an earlier line for the same program, GPU and sizes.
  void add(Line line);
  /// The line for just these sizes; null where there is none.
  const Line* find(const Function& program, llvm::StringRef gpu, const Sizes& sizes) const;

  /// The program under the schedule of the line for this GPU whose sizes are nearest: the product
  /// over the params of the ratio of the larger size to the smaller one is least, and of equals the
  /// latest line. Left out are lines that promise what the sizes do not keep, such as a multiple
  /// of 4, and those that lack a size that is given, or have another one. Throws TableError for a
  /// size that the program does not have, for a negative one, where no line is left, and where a
  /// line's steps are not for the program.
  Schedule schedule(const Program& program, const Sizes& sizes, llvm::StringRef gpu) const;

  llvm::ArrayRef<Line> lines() const { return lines_; }

 private:
  std::vector<const Line*> nearest(const Function& program, const Sizes& sizes,
                                   llvm::StringRef gpu) const;
  Schedule replayed(const Line& line, const Program& program) const;
  TableError nothing_for(const Function& program, llvm::StringRef gpu) const;

  std::string name_;
  std::vector<Line> lines_;
};

/// The line as JSON, with its end.
std::string to_json(const Line& line);

}  // namespace hone::tune
