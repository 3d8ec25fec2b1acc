// Named values: `let fy = ...` in front of the statement that uses it.
#include "ir/traverse/named_values.h"

#include <gtest/gtest.h>

#include "ir/algebra/simplify.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/order.h"
#include "ir/traverse/visit.h"
#include "tests/support/ir/run.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace named_values_test {

/// A function with `body`, as the printer writes it.
std::string text_around(const std::string& body) {
  return "func f[N](A: f32[N], n: i32[N], C: f32[N]) {\n" + body + "\n}";
}

void expect_read_back(const std::string& body) {
  const Function function = parse_function(text_around(body));
  EXPECT_EQ(to_string(function), text_around(body));
  EXPECT_TRUE(equal(parse_function(to_string(function)), function));
}

/// The first line of the error, without the place.
std::string error_in(const std::string& body) {
  const std::string message = message_of<ParseError>([&] { parse_function(text_around(body)); });
  return llvm::StringRef(message).split('\n').first.split(": ").second.str();
}

TEST(NamedValues, AreReadBack) {
  for (const char* body : {"  for i in 0..N {\n"
                           "    let x = f32(i) * 0.5\n"
                           "    C[i] = x * x + A[i]\n"
                           "  }",
                           "  for i in 0..N {\n"
                           "    let x = f32(i) * 0.5\n"
                           "    let y = x + 1.0\n"
                           "    C[i] = x * y\n"
                           "    let x = A[i]\n"
                           "    C[i] += x\n"
                           "  }",
                           "  for i in 0..N {\n"
                           "    let place = n[i]\n"
                           "    let is_in = place >= 0i32 && place < i32(N)\n"
                           "    if (is_in) {\n"
                           "      let place = n[i]\n"
                           "      C[index(place)] = 1.0\n"
                           "    }\n"
                           "  }",
                           "  for i in 0..N {\n"
                           "    let both = (A[i], n[i])\n"
                           "    C[i] = (both).first * f32((both).second)\n"
                           "  }"})
    expect_read_back(body);
}

/// The lines before a let of an index are of its own value.
TEST(NamedValues, StandInFrontOfALetOfAnIndex) {
  expect_read_back(
      "  for i in 0..N {\n"
      "    let place = n[i]\n"
      "    let at = index(place) % N\n"
      "    C[at] = A[at]\n"
      "  }");
}

TEST(NamedValues, AreKnownInOneStatement) {
  EXPECT_EQ(error_in("for i in 0..N { let x = A[i] C[i] = x C[i] += x }"),
            "unknown axis or param 'x'; in scope: i, N");
  EXPECT_EQ(error_in("for i in 0..N { let x = A[i] if (x > 0.0) { C[i] = x } }"),
            "unknown axis or param 'x'; in scope: i, N");
  EXPECT_EQ(error_in("for i in 0..N { let x = A[i] C[i] = 1.0 }"),
            "the statement behind the value x does not use it");
  EXPECT_EQ(error_in("for i in 0..N { let true = A[i] C[i] = true }"),
            "'true' is reserved; it cannot be the name of an axis");
}

TEST(NamedValues, OfKernelsHaveNoDimensions) {
  EXPECT_EQ(error_in("alloc x: f32[4] @value"), "x is a value, and has no dimensions");
}

const AxisPtr i = make_axis("i", AxisKind::spatial);
const TensorPtr A = make_tensor("A", f32, {8}), C = make_tensor("C", f32, {8});

std::string text_of(const Expr& value) {
  return to_string(Store::make(C, {AxisRef::make(i)}, Update::set, value));
}

/// The text has one name for one value, and none of an index.
TEST(NamedValues, GetNumbersWhereTheirNamesAreTaken) {
  const Expr index = AxisRef::make(i), element = Load::make(A, {index});
  EXPECT_EQ(text_of(Named::make("i", element) + 1.0), "let i_2 = A[i]\nC[i] = i_2 + 1.0");
  EXPECT_EQ(text_of(Named::make("x", element) * Named::make("x", element + 1.0)),
            "let x = A[i]\nlet x_2 = A[i] + 1.0\nC[i] = x * x_2");
  EXPECT_EQ(text_of(Named::make("x", Named::make("x", element) * 2.0)),
            "let x = A[i]\nlet x_2 = x * 2.0\nC[i] = x_2");
  EXPECT_EQ(text_of(Named::make("x", element) * Named::make("x", Load::make(A, {index}))),
            "let x = A[i]\nC[i] = x * x");
}

TEST(NamedValues, AreTheirValuesToTheAlgebra) {
  const Expr index = AxisRef::make(i), element = Load::make(A, {index});
  const Expr named = Named::make("x", element);
  EXPECT_EQ(compare(named, element), 0);
  EXPECT_EQ(compare(named * 2.0, element * 2.0), 0);
  EXPECT_FALSE(equal(named, element));
  EXPECT_TRUE(equal(named, Named::make("y", element)));
  EXPECT_EQ(hash(named), hash(Named::make("y", element)));
  const Expr inside = Named::make("inside", index < 8);
  EXPECT_EQ(to_string(simplify(select(inside, element, 0.0))), "select(inside, A[i], 0.0)");
  Facts facts;
  facts.assume(inside);
  EXPECT_TRUE(proves(index < 8, facts));
  EXPECT_EQ(to_string(simplify(select(inside, element, 0.0), facts)), "A[i]");
}

TEST(NamedValues, KeepTheirLoopsPerfectlyNested) {
  expect_rewrite(R"(func f[N](A: f32[N, N], C: f32[N, N]) {
                      for i in 0..N {
                        for j in 0..N {
                          let x = f32(i) * 0.5
                          let y = x + A[i, j]
                          C[i, j] = x * y
                        }
                      }
                    })",
                 [](const Function& f) {
                   return reorders({"j", "i.0", "i.1"})(parted(f, "i", 4));
                 },
                 R"(func f[N](A: f32[N, N], C: f32[N, N]) {
  for j in 0..N {
    for i.0 in 0..(N + 3) / 4 {
      for i.1 in 0..4 {
        if (i.0*4 + i.1 < N) {
          let x = f32(i.0*4 + i.1) * 0.5
          let y = x + A[i.0*4 + i.1, j]
          C[i.0*4 + i.1, j] = x * y
        }
      }
    }
  }
})");
}

/// The loads of a consumer get the producer's value, at two places.
TEST(NamedValues, GetNumbersWhereATensorIsInlined) {
  expect_rewrite(R"(func f[N](A: f32[N + 1], C: f32[N]) {
                      alloc B: f32[N + 1] @global
                      for i in 0..N + 1 {
                        let x = A[i] * 2.0
                        B[i] = x * x
                      }
                      for j in 0..N {
                        let x = B[j]
                        C[j] = x + B[j + 1]
                      }
                    })",
                 inlines("B"), R"(func f[N](A: f32[N + 1], C: f32[N]) {
  for j in 0..N {
    let x = A[j] * 2.0
    let x_2 = x * x
    let x_3 = A[j + 1] * 2.0
    C[j] = x_2 + x_3 * x_3
  }
})");
}

}  // namespace named_values_test
}  // namespace hone
