#include "tools/cli/tune/measure_job.h"

#include "llvm/Support/raw_ostream.h"
#include "runtime/nvrtc/cache_store.h"
#include "tools/cli/command/steps.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace {

namespace json = llvm::json;

UsageError wrong_type(llvm::StringRef field, const char* type) {
  return UsageError("the field {} of a job is {}", field.str(), type);
}

void read(llvm::StringRef field, const json::Value& value, std::string& text) {
  if (!value.getAsString()) throw wrong_type(field, "a string");
  text = value.getAsString()->str();
}

void read(llvm::StringRef field, const json::Value& value, bool& flag) {
  if (!value.getAsBoolean()) throw wrong_type(field, "true or false");
  flag = *value.getAsBoolean();
}

int64_t count_in(llvm::StringRef field, const json::Value& value) {
  const auto number = value.getAsInteger();
  if (!number || *number < 0) throw wrong_type(field, "a number from 0 on");
  return *number;
}

void read(llvm::StringRef field, const json::Value& value, Sizes& sizes) {
  const json::Object* const object = value.getAsObject();
  if (!object) throw wrong_type(field, "an object of sizes");
  for (const auto& [name, size] : *object)
    sizes[llvm::StringRef(name).str()] = count_in(llvm::StringRef(name), size);
}

/// A field of a job: how it is read.
struct JobField {
  const char* name;
  void (*read)(llvm::StringRef, const json::Value&, MeasureJob&);
};

constexpr JobField job_fields[] = {
    {"id", [](auto name, auto& value, MeasureJob& job) { read(name, value, job.id); }},
    {"program", [](auto name, auto& value, MeasureJob& job) { read(name, value, job.program); }},
    {"steps",
     [](auto name, auto& value, MeasureJob& job) { read(name, value, job.steps.emplace()); }},
    {"sizes", [](auto name, auto& value, MeasureJob& job) { read(name, value, job.sizes); }},
    {"constants",
     [](auto name, auto& value, MeasureJob& job) { read(name, value, job.are_constants); }},
    {"seed", [](auto name, auto& value,
                MeasureJob& job) { job.seed = static_cast<uint64_t>(count_in(name, value)); }},
    {"device", [](auto name, auto& value, MeasureJob& job) { read(name, value, job.device); }},
    {"gpu", [](auto name, auto& value, MeasureJob& job) { read(name, value, job.gpu); }},
    {"blocks", [](auto name, auto& value, MeasureJob& job) { job.blocks = count_in(name, value); }},
    {"check", [](auto name, auto& value, MeasureJob& job) { read(name, value, job.has_check); }},
};

UsageError unknown_field(llvm::StringRef name) {
  std::vector<std::string> known;
  for (const JobField& field : job_fields) known.emplace_back(field.name);
  return unknown("field", name.str(), known, "a job");
}

void check_names(const Sizes& sizes, const Ladder& ladder) {
  std::vector<std::string> known;
  for (const auto& [name, size] : ladder.sizes) known.push_back(name);
  for (const auto& [name, size] : sizes)
    if (!ladder.sizes.count(name)) throw unknown("size", name, known, ladder.name);
}

}  // namespace

MeasureJob read_measure_job(llvm::StringRef line) {
  auto parsed = json::parse(line);
  if (!parsed) throw UsageError("not JSON: {}", llvm::toString(parsed.takeError()));
  const json::Object* const object = parsed->getAsObject();
  if (!object) throw UsageError("a job is an object, as in {{\"program\": \"matmul/tuned\"}}");
  MeasureJob job;
  for (const auto& entry : *object) {
    const llvm::StringRef name = entry.first;
    const auto* const field =
        llvm::find_if(job_fields, [&](const JobField& one) { return name == one.name; });
    if (field == std::end(job_fields)) throw unknown_field(name);
    field->read(name, entry.second, job);
  }
  if (job.program.empty()) throw UsageError("a job names its program, a rung or a ladder's name");
  return job;
}

json::Object to_json(const MeasureJob& job) {
  json::Object object{{"id", job.id},
                      {"program", job.program},
                      {"sizes", to_json(job.sizes)},
                      {"constants", job.are_constants},
                      {"seed", static_cast<int64_t>(job.seed)},
                      {"device", job.device},
                      {"gpu", job.gpu},
                      {"blocks", job.blocks},
                      {"check", job.has_check}};
  if (job.steps) object["steps"] = *job.steps;
  return object;
}

Ladder ladder_of_job(const MeasureJob& job, llvm::ArrayRef<Ladder> ladders) {
  const StartingPoint start = find_start(job.program, ladders);
  if (job.steps || !start.rung) return with_steps(start, {"steps", job.steps.value_or("")});
  Ladder ladder = start.ladder;
  ladder.rungs.push_back(*start.rung);
  return ladder;
}

MeasureJob completed(MeasureJob job, llvm::ArrayRef<Ladder> ladders) {
  const Ladder ladder = ladder_of_job(job, ladders);
  check_names(job.sizes, ladder);
  job.sizes = overlaid(ladder.sizes, job.sizes);
  if (!job.steps)
    job.steps =
        build({&ladder, &ladder.rungs.back()}, {job.are_constants ? job.sizes : Sizes(), job.sizes})
            .trace_text();
  return job;
}

std::string address_of(const MeasureJob& job, const MeasureMachine& machine,
                       llvm::ArrayRef<Ladder> ladders) {
  const Ladder ladder = ladder_of_job(job, ladders);
  json::Object content = to_json(job);
  content.erase("id");
  content["program"] = to_string(program_of({&ladder, &ladder.rungs.back()}, {}).function());
  content["machine"] = json::Object(machine);
  if (!job.is_model())
    for (const char* const of_model : {"gpu", "blocks"}) content.erase(of_model);
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(content));
  return sha256_hex(text).substr(0, 32);
}

}  // namespace hone
