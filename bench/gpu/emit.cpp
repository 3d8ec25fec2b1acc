#include "bench/gpu/emit.h"

#include <filesystem>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "runtime/files.h"

namespace hone {
namespace {

namespace json = llvm::json;

json::Object json_of(const Sizes& sizes) {
  json::Object object;
  for (const auto& [name, size] : sizes) object[name] = size;
  return object;
}

json::Object json_of(const Stage& stage, const std::string& file) {
  return json::Object{{"module", file},
                      {"kernel", stage.entry},
                      {"tensors", json::Array(stage.tensors)},
                      {"params", json::Array(stage.params)},
                      {"grid", json::Array(stage.dims.grid)},
                      {"block", json::Array(stage.dims.block)},
                      {"shared_bytes", stage.dims.shared_bytes}};
}

std::string text_of(json::Object object) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", json::Value(std::move(object)));
  return text;
}

}  // namespace

void emit_contender(const std::string& folder, const std::string& side,
                    const Measurement& measurement, const Sizes& sizes,
                    const Contender& contender) {
  std::filesystem::create_directories(folder);
  const std::string name =
      fmt::format("{}-{}-{}-{}", side, measurement.ladder, measurement.rung, measurement.size);
  const auto module_file = [&](size_t n) { return fmt::format("{}.{}.cubin", name, n); };
  for (size_t n = 0; n < contender.modules.size(); ++n) {
    const std::vector<char>& cubin = contender.modules[n]->cubin;
    replace_file(folder + "/" + module_file(n), {{cubin.data(), cubin.size()}});
  }

  json::Array temporaries, launches;
  for (const auto& [tensor, elements] : contender.temporaries)
    temporaries.push_back(json::Object{{"name", tensor}, {"elements", elements}});
  for (const Stage& stage : contender.stages)
    launches.push_back(json_of(stage, module_file(stage.module)));
  replace_file(folder + "/" + name + ".json",
               {text_of(json::Object{{"side", side},
                                     {"ladder", measurement.ladder},
                                     {"rung", measurement.rung},
                                     {"size", measurement.size},
                                     {"sizes", json_of(sizes)},
                                     {"temporaries", std::move(temporaries)},
                                     {"launches", std::move(launches)}})});
}

}  // namespace hone
