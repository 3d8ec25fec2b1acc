#include "tools/cli/judge/finding_text.h"

#include "codegen/emit/emit.h"
#include "fmt/ranges.h"
#include "llvm/ADT/StringRef.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace {

std::string head_line(const FindingSite& site) {
  const std::string access =
      site.access.empty() ? "" : fmt::format(" {} {}", site.verb, site.access);
  return fmt::format("  block {}, thread {}{}", triple(site.block), triple(site.thread), access);
}

}  // namespace

void StatementPlaces::Texts::add(LinedText text) {
  if (!lines.empty()) lines.emplace_back();  // a blank one between two kernels
  for (auto& [statement, numbers] : text.lines)
    for (unsigned& number : numbers) number += lines.size();
  statements.push_back(std::move(text.lines));
  llvm::SmallVector<llvm::StringRef> split;
  llvm::StringRef(text.text).rtrim('\n').split(split, '\n');
  for (const llvm::StringRef line : split) lines.push_back(line.trim().str());
}

std::string StatementPlaces::Texts::place(size_t kernel, const StmtNode* statement) const {
  const auto numbers = statements[kernel].find(statement);
  assert(numbers != statements[kernel].end() && "a statement of another kernel");
  return fmt::format("{}: {}", fmt::join(numbers->second, " and "),
                     lines[numbers->second.front() - 1]);
}

StatementPlaces::StatementPlaces(const Module& module, const Schedule* schedule) : module_(module) {
  if (schedule) provenance_.emplace(*schedule);
  for (const KernelFunction& kernel : module.kernels) {
    kernel_.add(print_with_lines(kernel));
    cuda_.add(emit_cuda_with_lines(kernel));
  }
}

std::vector<std::string> StatementPlaces::of(size_t kernel, const StmtNode* statement) const {
  std::vector<std::string> lines = {
      "kernel line " + kernel_.place(kernel, statement),
      fmt::format("{}.cu:{}", module_.name, cuda_.place(kernel, statement))};
  if (provenance_)
    lines.push_back(provenance_->origin_text(module_.kernels[kernel].body, statement));
  return lines;
}

std::string to_string(const Finding& finding, size_t kernel, const StatementPlaces& places) {
  std::string text = to_string(finding.kind);
  if (finding.tensor) text += fmt::format(" on {}{}", finding.tensor->name, finding.element);
  if (!finding.detail.empty()) text += ": " + finding.detail;
  text += "\n";
  for (const FindingSite& site : finding.sites) {
    text += head_line(site) + "\n";
    for (const std::string& line : places.of(kernel, site.statement.get()))
      text += "    " + line + "\n";
  }
  if (finding.count > 1) text += fmt::format("  and {} more like it\n", finding.count - 1);
  return text;
}

llvm::json::Value to_json(const Finding& finding, size_t kernel, const StatementPlaces& places) {
  llvm::json::Array sites;
  for (const FindingSite& site : finding.sites)
    sites.push_back(
        llvm::json::Object{{"access", site.access},
                           {"verb", site.verb},
                           {"block", llvm::json::Array(site.block)},
                           {"thread", llvm::json::Array(site.thread)},
                           {"places", to_json(places.of(kernel, site.statement.get()))}});
  return llvm::json::Object{{"kind", to_string(finding.kind)},
                            {"is_hint", is_hint(finding.kind)},
                            {"tensor", finding.tensor ? finding.tensor->name : ""},
                            {"element", finding.element},
                            {"detail", finding.detail},
                            {"count", finding.count},
                            {"sites", std::move(sites)}};
}

}  // namespace hone
