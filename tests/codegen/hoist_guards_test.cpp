#include <gtest/gtest.h>

#include "codegen/kernel.h"
#include "codegen/lower.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace hone {
namespace hoist_guards_test {

/// The text between the outermost braces.
std::string inside(const std::string& text) {
  const size_t start = text.find("{\n") + 2;
  return text.substr(start, text.rfind('}') - start);
}

Function function_of(const std::string& body, const std::string& assumed) {
  return parse_function("func f[K, n](A: f32[n], C: f32[n])" +
                        (assumed.empty() ? "" : " where " + assumed) + " {\n" + body + " }");
}

/// The statements of the kernel.
std::string lowered(const std::string& body, const std::string& assumed = "") {
  return inside(to_string(lower(function_of(body, assumed)).kernels.front()));
}

/// The statements as they stand.
std::string indented(const std::string& body) { return inside(to_string(function_of(body, ""))); }

TEST(HoistGuards, ThatTheIterationDoesNotDecide) {
  EXPECT_EQ(lowered("for i in 0..n @thread.x { for k in 0..8 { if (i < K) { C[i] += A[k] } } }"),
            "  let i = thread.x\n"
            "  if (i < K) {\n"
            "    for k in 0..8 {\n"
            "      C[i] += A[k]\n"
            "    }\n"
            "  }\n");
  EXPECT_EQ(lowered("for i in 0..8 { for k in 0..n { if (k < K && i < K) { C[i] += A[k] } } }"),
            "  for i in 0..8 {\n"
            "    if (i < K) {\n"
            "      for k in 0..n {\n"
            "        if (k < K) {\n"
            "          C[i] += A[k]\n"
            "        }\n"
            "      }\n"
            "    }\n"
            "  }\n");
}

TEST(HoistGuards, ThatAllIterationsPassWhereOneDoes) {
  const std::string body =
      "for k.0 in 0..K { for k.1 in 0..16 { if (k.0*16 + k.1 < n) { C[k.0*16 + k.1] = 1.0 } } }";
  EXPECT_EQ(lowered(body, "n % 16 == 0"),
            "  for k.0 in 0..K {\n"
            "    if (k.0*16 < n) {\n"
            "      for k.1 in 0..16 {\n"
            "        C[k.0*16 + k.1] = 1.0\n"
            "      }\n"
            "    }\n"
            "  }\n");
  EXPECT_EQ(lowered(body, "n % 8 == 0"), indented(body));
}

TEST(HoistGuards, NotThatReadElementsOrMayFail) {
  for (const char* body : {"for i in 0..n { for k in 0..8 { if (A[i] < 1.0) { A[k] += C[k] } } }",
                           "for i in 0..n { for k in 0..K { if (4 / i < n) { C[k] += A[i] } } }",
                           "for i in 0..n { for k in 0..8 { if (k + i < n) { C[k] += A[i] } } }"})
    EXPECT_EQ(lowered(body), indented(body));
}

}  // namespace hoist_guards_test
}  // namespace hone
