// Every field that a command prints as JSON stands in docs/json.md.
#include "llvm/Support/JSON.h"

#include <fstream>
#include <sstream>

#include "command.h"
#include "tests/support/runtime/temporary_folder.h"

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
    const bool is_named_by_data =
        name == "sizes" || (name == "counters" && entry.second.getAsObject());
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
}

}  // namespace json_test
}  // namespace hone
