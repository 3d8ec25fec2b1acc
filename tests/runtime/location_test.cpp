// Errors of what a user calls at run time say where in the user's text the call stands.
#include <functional>

#include "dsl/operator.h"
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "runtime/compile.h"
#include "runtime/io/dlpack.h"
#include "runtime/io/npy.h"
#include "runtime/io/npz.h"
#include "runtime/pitch.h"
#include "tests/support/dsl/operands.h"

namespace hone {
namespace runtime_location_test {

/// The text of the error of `action`, without the folder of this file.
std::string text_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    const llvm::StringRef text = error.what();
    const size_t place = text.find("location_test.cpp");
    return text.substr(place == llvm::StringRef::npos ? 0 : place).split('\n').first.str();
  }
  return "no error";
}

/// `message` at a line of this file.
std::string at_line(int line, const std::string& message) {
  return fmt::format("location_test.cpp:{}: error: {}", line, message);
}

const std::string too_narrow =
    "the layout of f32[4, 4]: the pitch 2 is less than a row of 4 elements";

TEST(RuntimeLocation, OfNewArrays) {
  const std::string negative = "f32[-3] has a negative extent";
  EXPECT_EQ(text_of([] { Array<float>({-3}); }), at_line(__LINE__, negative));
  EXPECT_EQ(text_of([] { AnyArray(f32, {-3}); }), at_line(__LINE__, negative));
  EXPECT_EQ(text_of([] { pitched_array<float>({-3}); }), at_line(__LINE__, negative));
  const Layout pitch = Layout().pitch(2);
  const int line = __LINE__ + 1;
  const auto narrow = [&] { return Array<float>({4, 4}, Device::host(), pitch); };
  EXPECT_EQ(text_of(narrow), at_line(line, too_narrow));
  const std::string few = "3 values do not fill f32[4] on host, which has 4 elements";
  EXPECT_EQ(text_of([] { Array<float>({1, 2, 3}, {4}); }), at_line(__LINE__, few));
  const AnyArray whole(i32, {2});
  const std::string other = "i32[2] on host is not an array of f32";
  EXPECT_EQ(text_of([&] { Array<float> floats(whole); }), at_line(__LINE__, other));
}

TEST(RuntimeLocation, OfCopies) {
  const Array<float> array({4, 4});
  Array<float> pair({2});
  const Layout pitch = Layout().pitch(2);
  EXPECT_EQ(text_of([&] { array.with_layout(pitch); }), at_line(__LINE__, too_narrow));
  const std::string other = "the elements of f32[4, 4] on host do not fill f32[2] on host";
  EXPECT_EQ(text_of([&] { pair.copy_elements(array); }), at_line(__LINE__, other));
  const AnyArray tuples(tuple_of({f32, i32}), {2});
  const std::string none = "(f32, i32)[2] on host has no DLPack type; take its components apart";
  EXPECT_EQ(text_of([&] { tuples.to_dlpack(); }), at_line(__LINE__, none));
}

TEST(RuntimeLocation, OfFiles) {
  const std::string missing = "cannot read none.npy: No such file or directory";
  EXPECT_EQ(text_of([] { read_npy("none.npy"); }), at_line(__LINE__, missing));
  EXPECT_EQ(text_of([] { read_npy_bits("none.npy"); }), at_line(__LINE__, missing));
  EXPECT_EQ(text_of([] { read_npz("none.npy"); }), at_line(__LINE__, missing));
  EXPECT_EQ(text_of([] { read_npz("none.npy", "A"); }), at_line(__LINE__, missing));
  const AnyArray array(bf16, {2});
  const std::string formless = "cannot write a.npy: bf16 has no .npy form; cast it to f32 first";
  EXPECT_EQ(text_of([&] { write_npy("a.npy", array); }), at_line(__LINE__, formless));
  EXPECT_EQ(text_of([&] { write_npz("a.npy", {{"A", array}}); }), at_line(__LINE__, formless));
}

TEST(RuntimeLocation, OfDevices) {
  const std::string unknown = "unknown device 'gpu'; use auto, cuda, cuda:N, sim or host";
  EXPECT_EQ(text_of([] { parse_device("gpu"); }), at_line(__LINE__, unknown));
  const std::string text = text_of([] { Device::cuda(100); });
  EXPECT_EQ(text.substr(0, text.find(": no CUDA device")),
            fmt::format("location_test.cpp:{}: error", __LINE__ - 2));
}

TEST(RuntimeLocation, OfOperators) {
  const auto minus = [](const Expr& a, const Expr& b) { return a - b; };
  const std::string text = text_of([&] { declare_operator("minus", 0.0f, Expr(1.0f), minus); });
  EXPECT_EQ(text.substr(0, text.find(" is declared")), at_line(__LINE__ - 1, "minus"));
}

/// Sums of rows on the cores of the host.
Function sums_of_rows() {
  const Tensor A("A", f32, {128, 1024}), S("S", f32, {128});
  const Axis i("i", 128);
  const ReduceAxis k("k", 1024);
  Schedule s(Program("rows", S(i) = sum(k, A(i, k))));
  s.bind(i, parallel);
  return s.function();
}

TEST(RuntimeLocation, OfCompilationsAndExports) {
  const std::string bodiless = "a function without a body is compiled";
  EXPECT_EQ(text_of([] { compile(Function()); }), at_line(__LINE__, bodiless));
  const Function rows = sums_of_rows();
  const CompileOptions simulated = {.device = Device::simulated()};
  const std::string on_host = "compile: i is bound to parallel, which runs on the CPU";
  EXPECT_EQ(text_of([&] { compile(rows, simulated); }), at_line(__LINE__, on_host));
  EXPECT_EQ(text_of([&] { export_program(rows, "folder"); }), at_line(__LINE__, on_host));
}

/// Calls in the library's own files, which the text of the program does not know.
TEST(RuntimeLocation, OfTheLibraryIsNone) {
  EXPECT_EQ(Location::current("<hone>/runtime/array.cpp", 7).file, nullptr);
  EXPECT_STREQ(Location::current("runtime/array.cpp", 7).file, "runtime/array.cpp");
  const TensorPtr negative = make_tensor("A", f32, {-3});
  EXPECT_EQ(text_of([&] { array_for(*negative, {}); }), "f32[-3] has a negative extent");
}

}  // namespace runtime_location_test
}  // namespace hone
