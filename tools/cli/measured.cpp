#include "tools/cli/measured.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "runtime/error.h"

namespace hone {
namespace {

namespace json = llvm::json;

RuntimeError bad_figures(const Ladder& ladder, const std::string& what) {
  return RuntimeError("the measured figures of {} are not what `hone ladder {} --json` prints: {}",
                      ladder.name, ladder.name, what);
}

std::string text_in(const json::Object& row, llvm::StringRef field) {
  const auto value = row.getString(field);
  return value ? value->str() : "";
}

double number_in(const json::Object& row, llvm::StringRef field) {
  const auto value = row.getNumber(field);
  return value ? *value : 0;
}

Sizes sizes_in(const json::Object& row, const Ladder& ladder) {
  const json::Object* object = row.getObject("sizes");
  if (!object) throw bad_figures(ladder, "a row without sizes");
  Sizes sizes;
  for (const auto& entry : *object) {
    const auto size = entry.second.getAsInteger();
    if (!size) throw bad_figures(ladder, "a size that is no number");
    sizes[llvm::StringRef(entry.first).str()] = *size;
  }
  return sizes;
}

/// The end of the first array in the text: brackets in strings do not count.
size_t end_of_array(llvm::StringRef text) {
  int depth = 0;
  bool is_string = false;
  for (size_t n = 0; n < text.size(); ++n) {
    const char character = text[n];
    if (is_string && character == '\\') {
      ++n;
    } else if (character == '"') {
      is_string = !is_string;
    } else if (!is_string && character == '[') {
      ++depth;
    } else if (!is_string && character == ']' && --depth == 0) {
      return n + 1;
    }
  }
  return text.size();
}

MeasuredRung rung_of(const json::Object& row) {
  return {text_in(row, "rung"),           text_in(row, "device"),   text_in(row, "device_name"),
          text_in(row, "driver"),         text_in(row, "nvrtc"),    text_in(row, "date"),
          number_in(row, "milliseconds"), number_in(row, "gflops"), number_in(row, "gb_per_s")};
}

bool is_of_gpu(const MeasuredRung& one) { return one.device != "host"; }

/// What ran on the host belongs to any GPU.
bool is_of_same_gpu(const MeasuredRun& run, const MeasuredRung& one) {
  return !is_of_gpu(one) || llvm::all_of(run.rungs, [&](const MeasuredRung& other) {
    return !is_of_gpu(other) || other.device_name == one.device_name;
  });
}

std::string origin_of(const MeasuredRung& one) {
  std::string text = one.device_name.empty() ? one.device : one.device_name;
  if (!one.driver.empty()) text += ", driver " + one.driver;
  if (!one.nvrtc.empty()) text += ", NVRTC " + one.nvrtc;
  return text;
}

}  // namespace

const MeasuredRung* MeasuredRun::of(const std::string& rung) const {
  const auto found =
      llvm::find_if(rungs, [&](const MeasuredRung& one) { return one.rung == rung; });
  return found == rungs.end() ? nullptr : &*found;
}

std::string MeasuredRun::device_name() const {
  const auto found = llvm::find_if(rungs, is_of_gpu);
  return (found == rungs.end() ? rungs.front() : *found).device_name;
}

std::string MeasuredRun::origin() const {
  std::string text, date;
  for (const bool is_gpu : {true, false}) {
    const auto found =
        llvm::find_if(rungs, [&](const MeasuredRung& one) { return is_of_gpu(one) == is_gpu; });
    if (found == rungs.end()) continue;
    const bool is_beside = !text.empty();
    text += is_beside ? "; on the host: " + origin_of(*found) : origin_of(*found);
    if (date.empty()) date = found->date;
  }
  return date.empty() ? text : text + "; " + date;
}

const MeasuredRun* first_run_at(llvm::ArrayRef<MeasuredRun> runs, const Sizes& sizes) {
  return !runs.empty() && runs.front().sizes == sizes ? &runs.front() : nullptr;
}

std::vector<MeasuredRun> runs_of(const json::Array& rows, const Ladder& ladder) {
  std::vector<MeasuredRun> runs;
  for (const json::Value& value : rows) {
    const json::Object* row = value.getAsObject();
    if (!row) throw bad_figures(ladder, "a row that is no object");
    if (text_in(*row, "ladder") != ladder.name)
      throw bad_figures(ladder, "a row of the ladder '" + text_in(*row, "ladder") + "'");
    const MeasuredRung one = rung_of(*row);
    if (one.milliseconds <= 0) continue;
    const Sizes sizes = sizes_in(*row, ladder);
    const auto same = llvm::find_if(runs, [&](const MeasuredRun& run) {
      return run.sizes == sizes && is_of_same_gpu(run, one);
    });
    if (same == runs.end())
      runs.push_back({sizes, {one}});
    else
      same->rungs.push_back(one);
  }
  return runs;
}

std::vector<MeasuredRun> read_figures(const std::string& text, const Ladder& ladder) {
  std::vector<MeasuredRun> runs;
  for (llvm::StringRef rest = llvm::StringRef(text).trim(); !rest.empty(); rest = rest.ltrim()) {
    const size_t end = end_of_array(rest);
    auto value = json::parse(rest.take_front(end));
    if (!value) throw bad_figures(ladder, llvm::toString(value.takeError()));
    const json::Array* rows = value->getAsArray();
    if (!rows) throw bad_figures(ladder, "no array of rows");
    llvm::append_range(runs, runs_of(*rows, ladder));
    rest = rest.drop_front(end);
  }
  return runs;
}

}  // namespace hone
