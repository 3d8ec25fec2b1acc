// Every field that a command prints as JSON stands in docs/json.md.
#include "llvm/Support/JSON.h"

#include <fstream>
#include <sstream>

#include "command.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tests/tools/tune/fake_worker.h"

namespace hone {
namespace json_test {

std::string documentation() {
  std::ifstream file("docs/json.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Expects the names of the fields, but for those of objects that the data name.
void expect_documented(const llvm::json::Value& value, const std::string& text) {
  if (const auto* array = value.getAsArray())
    for (const llvm::json::Value& one : *array) expect_documented(one, text);
  const auto* object = value.getAsObject();
  if (!object) return;
  for (const auto& entry : *object) {
    const std::string name = llvm::StringRef(entry.first).str();
    EXPECT_THAT(text, testing::HasSubstr("`" + name + "`"));
    const bool is_named_by_data = name == "sizes" || name == "parameters" ||
                                  (name == "counters" && entry.second.getAsObject());
    if (!is_named_by_data) expect_documented(entry.second, text);
  }
}

void expect_documented(std::vector<std::string> words) {
  const CommandResult result = hone(std::move(words));
  auto value = llvm::json::parse(result.printed);
  ASSERT_TRUE(bool(value)) << result.printed << llvm::toString(value.takeError());
  expect_documented(*value, documentation());
}

TEST(Json, IsDocumentedFieldByField) {
  expect_documented({"counters", "axpy/blocks", "--json"});
  expect_documented({"counters", "matmul/register", "--json"});
  expect_documented({"counters", "axpy/serial", "--json"});
  expect_documented({"ladder", "axpy", "--device=sim", "--json"});
  expect_documented({"list", "--json"});
  expect_documented({"show", "matmul/register", "--json"});
  expect_documented({"check", "matmul", "--json"});
  expect_documented({"diff", "axpy/serial", "axpy/blocks", "--json"});
  expect_documented({"run", "axpy/blocks", "--device=sim", "--check", "--json"});
  expect_documented({"demo", "--device=sim", "--json"});
  expect_documented({"doctor", "--json"});
  const TemporaryFolder folder;
  expect_documented({"export", "axpy/blocks", "--to", folder.path(), "--json"});
  expect_documented({"explain", "matmul/register", "--json"});
  expect_documented({"explain", "matmul", "--json"});
  expect_documented({"numbers", "matmul/register", "--json"});
}

/// A result of `measure` is a line.
TEST(Json, OfMeasurementsIsDocumentedFieldByField) {
  const FakeWorker worker("cuda:0");
  const std::string documented = documentation();
  replace_file(worker.file("jobs.jsonl"), {R"({"program": "axpy/blocks"})"});
  const CommandResult measured = hone({"measure", worker.file("jobs.jsonl"), worker.option()});
  for (llvm::json::Object& one : objects_in(measured.printed))
    expect_documented(llvm::json::Value(std::move(one)), documented);
  Ladder ladder = small_axpy();
  ladder.rungs.back().space = [](const Sizes& fixed, const Sizes&, tune::Choices& choices) {
    const Axpy p(fixed);
    Schedule s(p.program);
    s.split(p.i, choices.choice("threads", {0, 64, 128}));
    return s;
  };
  const CommandResult tuned = hone_on({ladder}, {"tune", "axpy/blocks", "--json", worker.option()});
  auto value = llvm::json::parse(tuned.printed);
  ASSERT_TRUE(bool(value)) << tuned.complained << llvm::toString(value.takeError());
  expect_documented(*value, documented);
}

}  // namespace json_test
}  // namespace hone
