#include "tools/cli/tune/winners.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "ir/text/printer.h"
#include "tools/cli/json_text.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/profile/profile.h"

namespace hone {
namespace {

std::string text_of(const MeasureMachine& machine, const char* field) {
  return value_or(machine.getString(field), "").str();
}

/// Who says the time of the result.
std::string by_text(const MeasureResult& result, const MeasureMachine& machine, bool is_measured) {
  if (!is_measured) return "the model of " + text_of(result, "gpu");
  return fmt::format("{}, driver {}, NVRTC {}, Hone {}", text_of(machine, "device_name"),
                     text_of(machine, "driver"), text_of(machine, "nvrtc"),
                     text_of(machine, "hone"));
}

tune::Table table_at(const std::string& path) {
  return std::filesystem::exists(path) ? tune::Table::read(path) : tune::Table(path);
}

/// The file that a link leads to, which may not exist yet.
std::filesystem::path target_of(std::filesystem::path path) {
  while (std::filesystem::is_symlink(path))
    path = path.parent_path() / std::filesystem::read_symlink(path);
  return path;
}

/// Makes and removes no file: a file that does not exist needs a folder that it can be made in.
void check_is_writable(const std::string& path) {
  const std::filesystem::path file = target_of(path);
  const std::filesystem::path place =
      std::filesystem::exists(file) ? file : file.parent_path() / ".";
  if (path.empty() || access(place.c_str(), W_OK) != 0)
    throw RuntimeError("cannot write to the table {}", path);
}

/// To the end of the file, whose last line may lack its end.
void append_line(const std::string& path, const std::string& line) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::app);
  file.seekg(-1, std::ios::end);
  const bool has_end = !file || file.get() == '\n';  // an empty file has no last line
  file.clear();
  file << (has_end ? "" : "\n") << line << std::flush;
  if (!file) throw RuntimeError("cannot write to the table {}", path);
}

}  // namespace

Winners::Winners(const std::string& path, const RungRef& rung, const TuneOptions& options,
                 const MeasureMachine& machine)
    : path_(path),
      table_(table_at(path)),
      machine_(machine),
      program_(program_of(rung, options.are_constants ? options.sizes : Sizes()).function()) {
  check_is_writable(path);  // before the search, which takes its time
  const bool is_model = text_of(machine, "device") == "sim";
  line_.program = to_string(program_);
  line_.gpu = is_model ? named_gpu(options.gpu).name : gpu_name(text_of(machine, "device_name"));
  line_.sizes = sizes_of_params(program_, options.sizes);
}

std::optional<std::string> Winners::incumbent() const {
  const tune::Line* const known = table_.find(program_, line_.gpu, line_.sizes);
  return known ? std::optional(known->steps) : std::nullopt;
}

std::string Winners::add(const Tuning& tuning) {
  const tune::Line* const known = table_.find(program_, line_.gpu, line_.sizes);
  const TuneCandidate& winner = tuning.winner();
  line_.is_measured = tuning.is_measured();
  const std::string place =
      fmt::format("{}{}{}", line_.gpu, line_.sizes.empty() ? "" : " at ", to_text(line_.sizes));
  if (known && known->is_measured && !line_.is_measured)
    return fmt::format("{} keeps what was measured for {}", path_, place);
  if (known && known->steps == *winner.job.steps && known->is_measured == line_.is_measured)
    return fmt::format("{} keeps its schedule for {}", path_, place);
  const MeasureResult& result = tuning.result_of(winner);
  line_.parameters = to_text(winner.parameters);
  line_.steps = *winner.job.steps;
  line_.milliseconds = milliseconds_of(result).value_or(0);
  line_.by = by_text(result, machine_, line_.is_measured);
  append_line(path_, to_json(line_));
  return fmt::format("{} has it now, for {}", path_, place);
}

}  // namespace hone
