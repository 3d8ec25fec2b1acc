#include "tests/support/examples/exports.h"

#include "codegen/contract/advice.h"
#include "codegen/export/export.h"
#include "codegen/parse_kernel.h"
#include "dsl/schedule.h"
#include "ir/text/parser.h"
#include "runtime/export.h"
#include "runtime/files.h"
#include "tests/support/examples/rungs.h"

namespace hone {
namespace {

Module module_of(const KernelFunction& kernel) {
  Module module;
  module.params = kernel.params;
  module.arguments = kernel.arguments;
  module.kernels.push_back(kernel);
  return module;
}

/// Elements of several types, and what the last block keeps of them.
Export tuple_export(const std::string& name, const std::string& type, const std::string& kept,
                    const std::string& identity) {
  return {name, parse_function(fmt::format(R"(
operator keep(lhs: {0}, rhs: {0}) = {1} identity {2}
func f[n](A: {0}[n], S: {0}[]) {{
  S[] = {2}
  reduce b in 0..(n + 63) / 64 @block.x combine(last_block) {{
    reduce t in 0..64 @thread.x combine(two_level) {{
      if (b*64 + t < n) {{
        S[] keep= A[b*64 + t]
      }} }} }} }})",
                                           type, kept, identity))};
}

}  // namespace

Export::Export(std::string name, const Function& scheduled)
    : name(std::move(name)),
      function(scheduled),
      module(under_name(lower(function), this->name)),
      contract(contract_for_callers(launch_contract(module, &function))) {}

Export::Export(std::string name, const KernelFunction& kernel)
    : name(std::move(name)),
      module(under_name(module_of(kernel), this->name)),
      contract(contract_for_callers(launch_contract(module))) {}

void Export::write(const std::string& folder) const {
  replace_file(folder + "/" + name + ".cu", {export_cuda(module)});
  replace_file(folder + "/" + name + ".h", {export_header(contract)});
  replace_file(folder + "/" + name + ".json", {export_json(contract)});
  replace_file(folder + "/" + name + ".py", {export_python(contract)});
}

Export export_of(const std::string& rung_name, const std::string& name, const Sizes& fixed) {
  for (const RungCase& rung : gpu_rungs())
    if (rung.name() == rung_name)
      return Export(name, rung.rung.build(fixed, rung.ladder.sizes).function());
  throw RuntimeError("there is no rung {}", rung_name);
}

std::vector<Export> tuple_exports() {
  return {tuple_export("three", "(f64, i8, bool)",
                       "(lhs[].first + rhs[].first, min(lhs[].second, rhs[].second), "
                       "lhs[].third || rhs[].third)",
                       "(0.0f64, 127i8, false)"),
          tuple_export("four", "(f32, f32, i32, i64)",
                       "(min(lhs[].first, rhs[].first), max(lhs[].second, rhs[].second), "
                       "lhs[].third + rhs[].third, max(lhs[].fourth, rhs[].fourth))",
                       "(inf, -inf, 0i32, -9223372036854775807i64)")};
}

std::vector<Export> all_exports() {
  std::vector<Export> exports = tuple_exports();
  for (const RungCase& rung : gpu_rungs())
    exports.emplace_back(fmt::format("rung_{}", exports.size()),
                         rung.rung.build({}, rung.ladder.sizes).function());
  return exports;
}

std::vector<Export> exports_with_arithmetic() {
  const char* indices[] = {"i*i % n",
                           "(0 - i - i - 2147000000) * 0",
                           "select(i < 100, i*i, 0 - i*100) * 0",
                           "min(i*i, n*100) % n",
                           "max(i*i - n, 0) % n",
                           "(i ^ 5)*100000 % n",
                           "((i & 6) * 1000000 | n * 7) * n % n",
                           "(1 << i % 40) % n",
                           "(n - (1 << i % 4)) * n % n",
                           "(1 << i % 20) * n % n",
                           "(i*1000 >> i % 9) % n",
                           "(i / (n - 33))*n % n",
                           "(i % (n - 7))*n % n",
                           "k*8*(n - i) % n",
                           "index(A[i])*n*3 % n"};
  std::vector<Export> exports;
  for (const char* bits : {"32", "64"})
    for (const char* index : indices)
      exports.emplace_back(
          fmt::format("index_{}", exports.size()),
          parse_kernel(fmt::format(
              "kernel f[n](A: i32[n], C: i32[n]) where n <= 3000000000 grid((n + 255) / 256, 1, 1) "
              "block(256, 1, 1) @index{} {{ let i = block.x*256 + thread.x if (i < n && i*2 < n*3) "
              "{{ for k in 0..n {{ if (i + k*8 < n) {{ C[i] = A[{}] }} }} "
              "for s in 0..4 {{ C[(1 << s) * n % n] = 1i32 }} }} }}",
              bits, index)));
  return exports;
}

}  // namespace hone
