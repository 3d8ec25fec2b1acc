#include "tools/cli/cuda/kernel_result.h"

#include <cmath>

#include "fmt/ranges.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "runtime/files.h"
#include "runtime/io/npy.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace {

constexpr size_t most_source_bytes = 16 << 20;
constexpr int64_t first_shown = 6, last_shown = 2;

std::string shape_text(const ElementArray& array) {
  return fmt::format("{}[{}]", array.type->name.str(), fmt::join(array.shape, ", "));
}

std::string text_at(const RunArgument& argument, int64_t index) {
  if (!argument.is_set(index)) return "unset";
  return element_text(*argument.result.type, argument.result.at(index));
}

bool is_near(const ElementType& type, const ElementValue& value, const ElementValue& expected,
             double tolerance) {
  if (!type.is_real()) return value.integer == expected.integer;
  if (std::isnan(expected.real) || std::isnan(value.real))
    return std::isnan(expected.real) && std::isnan(value.real);
  if (value.real == expected.real) return true;
  return std::abs(value.real - expected.real) <= tolerance * std::max(1.0, std::abs(expected.real));
}

std::string index_text(const ElementArray& array, int64_t position) {
  std::vector<int64_t> index(array.shape.size());
  for (size_t dim = index.size(); dim-- > 0; position /= array.shape[dim])
    index[dim] = position % array.shape[dim];
  return fmt::format("[{}]", fmt::join(index, ", "));
}

llvm::json::Array triple_json(const std::array<int64_t, 3>& triple) {
  return llvm::json::Array{triple[0], triple[1], triple[2]};
}

}  // namespace

std::string SourceLines::of(const ptx::Site& site) {
  const auto [file, is_new] = files_.try_emplace(site.file);
  if (is_new) {
    const std::string text = read_small_file(site.file, most_source_bytes).value_or("");
    for (const llvm::StringRef line : llvm::split(text, '\n'))
      file->second.push_back(line.trim().str());
  }
  const auto number = static_cast<size_t>(site.line);
  return number > 0 && number <= file->second.size() ? file->second[number - 1] : "";
}

std::string finding_text(const ptx::Report::Finding& finding, SourceLines& lines) {
  ptx::Report::Finding shown = finding;
  for (ptx::Site& site : shown.sites) {
    const std::string line = lines.of(site);
    if (!line.empty()) site.access += "\n    " + line;
  }
  return to_string(shown);
}

llvm::json::Array findings_json(const ptx::Report& report) {
  SourceLines lines;
  llvm::json::Array findings;
  for (const ptx::Report::Finding& finding : report.findings) {
    llvm::json::Array sites;
    for (const ptx::Site& site : finding.sites)
      sites.push_back(llvm::json::Object{
          {"access", site.access},
          {"file", site.file},
          {"line", site.line},
          {"text", llvm::json::fixUTF8(lines.of(site))},
          {"ptx_line", site.ptx_line},
          {"block", llvm::json::Array{site.block[0], site.block[1], site.block[2]}},
          {"thread", llvm::json::Array{site.thread[0], site.thread[1], site.thread[2]}}});
    findings.push_back(llvm::json::Object{{"kind", to_string(finding.kind)},
                                          {"is_hint", is_hint(finding.kind)},
                                          {"detail", finding.what},
                                          {"cause", finding.cause},
                                          {"count", finding.count},
                                          {"sites", std::move(sites)}});
  }
  return findings;
}

std::string result_text(const RunArgument& argument) {
  const int64_t size = argument.result.size();
  std::string text = fmt::format("{}: {} = ", argument.name, shape_text(argument.result));
  for (int64_t n = 0; n < size; ++n) {
    const bool is_behind_gap = size > first_shown + last_shown + 1 && n == first_shown;
    text += n == 0 ? "" : ", ";
    if (is_behind_gap) {
      text += fmt::format("... ({} more), ", size - first_shown - last_shown);
      n = size - last_shown;
    }
    text += text_at(argument, n);
  }
  return text;
}

void save_results(const KernelRun& run, const std::string& folder) {
  if (const std::error_code error = llvm::sys::fs::create_directories(folder))
    throw RuntimeError("cannot make the folder {}: {}", folder, error.message());
  for (const RunArgument& argument : run.arguments)
    if (argument.is_written)
      write_npy(fmt::format("{}/{}.npy", folder, argument.name), to_file_array(argument.result));
}

ExpectedResult read_expected_result(const KernelRun& run, const std::string& text) {
  const auto [which, rest] = split_assignment("--expect", text);
  ExpectedResult expected;
  expected.argument = &run.argument(which);
  if (expected.argument->given.kind != ArgumentKind::array)
    throw UsageError("--expect compares arrays, and {} is none", expected.argument->name);
  const size_t colon = rest.rfind(".npy:");
  expected.path = colon == std::string::npos ? rest : rest.substr(0, colon + 4);
  if (colon == std::string::npos) return expected;
  const auto tolerance = parse_element(*find_element_type("f64"), rest.substr(colon + 5));
  if (!tolerance || !(tolerance->real >= 0))
    throw UsageError("--expect takes NAME=FILE.npy:TOLERANCE, got '{}'", text);
  expected.tolerance = tolerance->real;
  return expected;
}

std::string difference(const ExpectedResult& expected) {
  const RunArgument& argument = *expected.argument;
  const ElementArray& result = argument.result;
  const ElementArray wanted = read_element_array(expected.path, result.type);
  if (wanted.shape != result.shape)
    throw RuntimeError("{} holds {}, and {} is {}", expected.path, shape_text(wanted),
                       argument.name, shape_text(result));
  std::string first;
  int64_t count = 0;
  for (int64_t n = 0; n < result.size(); ++n) {
    const bool is_right =
        argument.is_set(n) && is_near(*result.type, result.at(n), wanted.at(n), expected.tolerance);
    if (is_right || count++ > 0) continue;
    first = fmt::format("{}{} is {}, and {} is expected", argument.name, index_text(result, n),
                        text_at(argument, n), element_text(*result.type, wanted.at(n)));
  }
  return count == 0 ? "" : fmt::format("{}; {} of {} elements differ", first, count, result.size());
}

llvm::json::Object launch_json(const KernelRun& run) {
  llvm::json::Array left_out;
  for (const ptx::LeftOut& one : run.chosen.text.left_out)
    left_out.push_back(llvm::json::Object{
        {"what", one.what}, {"file", one.file}, {"line", one.line}, {"why", one.why}});
  return llvm::json::Object{
      {"file", run.chosen.path},
      {"kernel", run.chosen.kernel.name},
      {"grid", triple_json(run.shape.grid)},
      {"block", triple_json(run.shape.block)},
      {"cluster", triple_json(run.shape.cluster)},
      {"dynamic_shared_bytes", run.shape.dynamic_shared},
      {"blocks", run.report.blocks},
      {"run_blocks", run.report.run_blocks},
      {"device", to_string(run.device)},
      {"thread_instructions",
       run.device.is_cuda() ? llvm::json::Value(nullptr) : run.report.instructions},
      {"output", llvm::json::fixUTF8(run.report.output)},
      {"left_out", std::move(left_out)},
      {"notes", to_json(run.chosen.text.notes)}};
}

llvm::json::Array results_json(const KernelRun& run) {
  llvm::json::Array arrays;
  for (const RunArgument& argument : run.arguments) {
    if (argument.given.kind != ArgumentKind::array) continue;
    llvm::json::Array shape;
    for (const int64_t extent : argument.result.shape) shape.push_back(extent);
    arrays.push_back(llvm::json::Object{{"argument", argument.name},
                                        {"type", argument.result.type->name.str()},
                                        {"shape", std::move(shape)},
                                        {"is_written", argument.is_written}});
  }
  return arrays;
}

}  // namespace hone
