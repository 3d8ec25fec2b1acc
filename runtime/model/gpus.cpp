#include "runtime/model/gpus.h"

#include <cmath>

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/files.h"
#include "runtime/model/architecture.h"

namespace hone {

/// The text of runtime/model/gpus.json, which the build puts into a source of its own.
extern const char* const shipped_gpus;

namespace {

namespace json = llvm::json;

/// Reads the fields of one GPU.
class GpuReader {
 public:
  GpuReader(const json::Value& value, llvm::StringRef origin)
      : object_(value.getAsObject()), origin_(origin.str()) {
    if (!object_) throw RuntimeError("{}: a GPU is an object, as docs/gpus.md has it", origin_);
  }

  Gpu read() {
    Gpu gpu;
    gpu.name = text("name");
    origin_ += fmt::format(", '{}'", gpu.name);
    gpu.arch = text("arch");
    if (!find_architecture(gpu.arch))
      throw RuntimeError("{}: the architecture {} is not known", origin_, gpu.arch);
    gpu.multiprocessors = static_cast<int>(amount("multiprocessors"));
    gpu.fp32_per_clock = static_cast<int>(amount("fp32_per_clock"));
    gpu.clock_ghz = amount("clock_ghz");
    gpu.fp32_tflops = amount("fp32_tflops");
    gpu.dram_gb_per_s = amount("dram_gb_per_s");
    if (object_->get("l2_bytes_per_clock"))
      gpu.l2_bytes_per_clock = static_cast<int>(amount("l2_bytes_per_clock"));
    if (object_->get("l2_mb")) gpu.l2_mb = amount("l2_mb");
    if (object_->get("fp64_tflops")) gpu.fp64_tflops = amount("fp64_tflops");
    if (object_->get("tensor_tflops")) gpu.tensor_tflops = amount("tensor_tflops");
    if (object_->get("tensor_int8_tops")) gpu.tensor_int8_tops = amount("tensor_int8_tops");
    if (const json::Array* devices = object_->getArray("devices"))
      for (const json::Value& device : *devices)
        if (const auto name = device.getAsString()) gpu.devices.push_back(name->str());
    check_names();
    return gpu;
  }

 private:
  std::string text(llvm::StringRef field) const {
    const auto value = object_->getString(field);
    if (!value || value->empty()) throw RuntimeError("{}: '{}' is a text", origin_, field.str());
    return value->str();
  }

  double amount(llvm::StringRef field) const {
    const auto value = object_->getNumber(field);
    if (!value || !(*value > 0))
      throw RuntimeError("{}: '{}' is a number above 0", origin_, field.str());
    return *value;
  }

  void check_names() const {
    constexpr const char* known[] = {"name",          "devices",           "arch",
                                     "source",        "multiprocessors",   "fp32_per_clock",
                                     "clock_ghz",     "fp32_tflops",       "fp64_tflops",
                                     "tensor_tflops", "tensor_int8_tops",  "dram_gb_per_s",
                                     "l2_mb",         "l2_bytes_per_clock"};
    for (const auto& entry : *object_) {
      const std::string field = llvm::StringRef(entry.first).str();
      if (!llvm::is_contained(known, field))
        throw RuntimeError("{}: there is no field '{}'; there are {}", origin_, field,
                           fmt::join(known, ", "));
    }
  }

  const json::Object* object_;
  std::string origin_;
};

/// Lower case, only letters and digits, without the maker.
std::string key(llvm::StringRef name) {
  std::string letters;
  for (const char c : name)
    if (llvm::isAlnum(c)) letters += llvm::toLower(c);
  return letters.starts_with("nvidia") ? letters.substr(6) : letters;
}

/// True where one of the words of the name is `word`: 4090 of RTX 4090.
bool has_word(llvm::StringRef name, llvm::StringRef word) {
  llvm::SmallVector<llvm::StringRef, 4> words;
  name.split(words, ' ');
  return llvm::any_of(words, [&](llvm::StringRef one) { return key(one) == key(word); });
}

std::vector<Gpu> load_gpus() {
  std::vector<Gpu> gpus = parse_gpus(shipped_gpus, "gpus.json");
  llvm::SmallVector<llvm::StringRef, 2> paths;
  const std::string variable = environment("HONE_GPUS").value_or("");
  llvm::StringRef(variable).split(paths, ':', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef path : paths)
    for (Gpu& gpu : read_gpus(path.str())) {
      llvm::erase_if(gpus, [&](const Gpu& known) { return key(known.name) == key(gpu.name); });
      gpus.push_back(std::move(gpu));
    }
  return gpus;
}

}  // namespace

std::vector<Gpu> parse_gpus(llvm::StringRef text, llvm::StringRef origin) {
  auto value = json::parse(text);
  if (!value)
    throw RuntimeError("{}: no JSON: {}", origin.str(), llvm::toString(value.takeError()));
  std::vector<Gpu> gpus;
  if (!value->getAsArray()) return {GpuReader(*value, origin).read()};
  for (const json::Value& one : *value->getAsArray()) gpus.push_back(GpuReader(one, origin).read());
  return gpus;
}

std::vector<Gpu> read_gpus(const std::string& path) {
  constexpr size_t most_bytes = 1 << 20;
  const auto text = read_small_file(path, most_bytes);
  if (!text)
    throw RuntimeError("cannot read the GPUs of {}: {}", path, why_unreadable(path, most_bytes));
  return parse_gpus(*text, path);
}

llvm::ArrayRef<Gpu> known_gpus() {
  static const std::vector<Gpu> gpus = load_gpus();
  return gpus;
}

const Gpu& find_gpu(llvm::StringRef name) {
  llvm::SmallVector<const Gpu*, 2> of_word;
  llvm::SmallVector<std::string, 16> names, of_word_names;
  for (const Gpu& gpu : known_gpus()) {
    if (key(gpu.name) == key(name)) return gpu;
    names.push_back(gpu.name);
    if (!has_word(gpu.name, name)) continue;
    of_word.push_back(&gpu);
    of_word_names.push_back(gpu.name);
  }
  if (of_word.size() == 1) return *of_word.front();
  if (!of_word.empty())
    throw RuntimeError("{} may be {}", name.str(), fmt::join(of_word_names, " or "));
  throw RuntimeError("no GPU {} is known; there are {}", name.str(), fmt::join(names, ", "));
}

const Gpu* gpu_of_device(llvm::StringRef device) {
  for (const Gpu& gpu : known_gpus())
    for (const std::string& name : gpu.devices)
      if (key(name) == key(device)) return &gpu;
  return nullptr;
}

std::string gpu_name(llvm::StringRef device) {
  const Gpu* const gpu = gpu_of_device(device);
  return gpu ? gpu->name : device.str();
}

}  // namespace hone
