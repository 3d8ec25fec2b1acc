#include "runtime/io/npy.h"

#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "gtest/gtest.h"
#include "runtime/environment.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace npy_test {

class Npy : public testing::Test {
 protected:
  std::string path() const { return folder_.file("a.npy"); }

  std::string content() const { return read_small_file(path(), 1 << 20).value(); }

  /// A file of format 1.0 with this header and these bytes of elements.
  void write_file(const std::string& header, size_t element_bytes) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 0xff);
    text += static_cast<char>(header.size() >> 8);
    replace_file(path(), {text, header, std::string(element_bytes, '\0')});
  }

  std::string refusal() const {
    return thrown_message<RuntimeError>([&] { read_npy(path()); });
  }
  std::string refusal(const std::string& header, size_t element_bytes = 0) {
    write_file(header, element_bytes);
    return refusal();
  }

  template <class T>
  void expect_round_trip(const std::vector<T>& values, std::vector<int64_t> shape) {
    write_npy(path(), Array<T>(values, shape));
    const Array<T> read(read_npy(path()));
    EXPECT_EQ(read.shape(), shape);
    EXPECT_EQ(read.to_vector(), values);
  }

  TemporaryFolder folder_;
};

TEST_F(Npy, KeepsEveryTypeAndShape) {
  expect_round_trip<double>({1.5, -2, 3, 4, 5, 6}, {2, 3});
  expect_round_trip<float>({1.5F}, {});
  expect_round_trip<Half>({Half(1.5F), Half(-2)}, {2});
  expect_round_trip<int64_t>({int64_t{1} << 62, -1}, {1, 2, 1});
  expect_round_trip<int32_t>({}, {3, 0});
  expect_round_trip<int8_t>({127, -128}, {2, 1});
  expect_round_trip<uint8_t>({0, 255}, {2});
  expect_round_trip<bool>({true, false, true}, {3});
}

TEST_F(Npy, WritesWhatNumPyWrites) {
  write_npy(path(), Array<float>({1, 2}, {2}));
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  expected += std::string(60, ' ') + "\n";
  expected += std::string("\x00\x00\x80\x3f\x00\x00\x00\x40", 8);
  EXPECT_EQ(content(), expected);
}

TEST_F(Npy, WritesALongHeaderInFormat2) {
  const std::vector<int64_t> shape(30000, 1);
  write_npy(path(), Array<float>({7}, shape));
  EXPECT_EQ(content().substr(6, 2), std::string("\x02\x00", 2));
  EXPECT_EQ(read_npy(path()).shape(), shape);
}

TEST_F(Npy, TurnsFortranOrderIntoRowMajor) {
  // Elements of [[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10, 11]]], first index fastest.
  const std::vector<int32_t> fortran = {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11};
  write_file("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 2), }\n", 48);
  std::string bytes = content();
  std::memcpy(bytes.data() + bytes.size() - 48, fortran.data(), 48);
  replace_file(path(), {bytes});
  EXPECT_EQ(Array<int32_t>(read_npy(path())).to_vector(),
            (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(Npy, ReadsHeadersThatAreSpelledDifferently) {
  write_file("{ \"shape\":(2,3),\"fortran_order\" : False , 'descr':'|u1'}", 6);
  EXPECT_EQ(read_npy(path()).shape(), (std::vector<int64_t>{2, 3}));
  write_file("{'descr': '<i1', 'fortran_order': True, 'shape': (6,), }", 6);
  EXPECT_EQ(read_npy(path()).dtype(), i8);
}

TEST_F(Npy, AgreesWithNumPy) {
  const std::string python = environment("HONE_PYTHON").value_or("/usr/bin/python3");
  const std::string script = folder_.file("check.py");
  write_new_file(script, R"(
import sys
try:
    import numpy as np
except ImportError:
    sys.exit(77)
folder = sys.argv[1]
types = ["f8", "f4", "f2", "i8", "i4", "i1", "u1", "b1"]
for t in types:
    a = (np.arange(24).reshape(2, 3, 4) % 2).astype(t)
    b = np.load(folder + "/in-" + t + ".npy") if len(sys.argv) > 2 else None
    assert b is None or (b.dtype == a.dtype and (b == a).all()), t
    np.save(folder + "/c-" + t + ".npy", a)
    np.save(folder + "/f-" + t + ".npy", np.asfortranarray(a))
)");
  const std::string command = python + " " + script + " " + folder_.path();
  const int status = std::system(command.c_str());
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << python << " has no numpy";
  ASSERT_EQ(status, 0);
  for (const char* type : {"f8", "f4", "f2", "i8", "i4", "i1", "u1", "b1"}) {
    const AnyArray c = read_npy(folder_.file(fmt::format("c-{}.npy", type)));
    const AnyArray fortran = read_npy(folder_.file(fmt::format("f-{}.npy", type)));
    EXPECT_EQ(c.shape(), (std::vector<int64_t>{2, 3, 4}));
    EXPECT_EQ(std::memcmp(c.data(), fortran.data(), c.bytes()), 0) << type;
    write_npy(folder_.file(fmt::format("in-{}.npy", type)), c);
  }
  EXPECT_EQ(std::system((command + " again").c_str()), 0);
}

TEST_F(Npy, RefusesAFileThatIsNotThere) {
  EXPECT_EQ(refusal(), "cannot read " + path() + ": No such file or directory");
  EXPECT_EQ(thrown_message<RuntimeError>([&] { read_npy(folder_.path()); }),
            "cannot read " + folder_.path() + ": not a regular file");
}

TEST_F(Npy, RefusesAnotherKindOfFile) {
  replace_file(path(), {"PK\x03\x04 an .npz file"});
  EXPECT_EQ(refusal(), path() +
                           " is not a .npy file: it starts with \"PK\\x03\\x04 a\", not "
                           "\"\\x93NUMPY\"");
}

TEST_F(Npy, RefusesATruncatedFile) {
  replace_file(path(), {"\x93NUM"});
  EXPECT_EQ(refusal(), path() + " is truncated: the preamble takes 8 bytes, 4 are left");
  replace_file(path(), {std::string("\x93NUMPY\x01\x00\x76", 9)});
  EXPECT_EQ(refusal(), path() + " is truncated: the header's length takes 2 bytes, 1 are left");
  replace_file(path(), {std::string("\x93NUMPY\x01\x00\x76\x00{", 11)});
  EXPECT_EQ(refusal(), path() + " is truncated: the header takes 118 bytes, 1 are left");
  EXPECT_EQ(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", 47),
            path() + " is truncated: f32[3, 4] takes 48 bytes, 47 are left");
}

TEST_F(Npy, RefusesBytesAfterTheArray) {
  EXPECT_EQ(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", 50),
            path() + " has 2 bytes after the 48 bytes of f32[3, 4]");
}

TEST_F(Npy, RefusesAnUnknownFormat) {
  replace_file(path(), {std::string("\x93NUMPY\x04\x00\x00\x00", 10)});
  EXPECT_EQ(refusal(), path() + " has .npy format 4.0; 1.0, 2.0 and 3.0 are read");
}

TEST_F(Npy, RefusesBigEndianElements) {
  EXPECT_EQ(refusal("{'descr': '>f4', 'fortran_order': False, 'shape': (), }", 4),
            path() + " holds big-endian '>f4'; little-endian '<f4' is read");
}

TEST_F(Npy, RefusesATypeThatItDoesNotKnow) {
  EXPECT_EQ(refusal("{'descr': '<c8', 'fortran_order': False, 'shape': (), }", 8),
            path() + " holds '<c8'; f8, f4, f2, i8, i4, i1, u1 and b1 are read");
  EXPECT_EQ(refusal("{'descr': '', 'fortran_order': False, 'shape': (), }"),
            path() + " holds ''; f8, f4, f2, i8, i4, i1, u1 and b1 are read");
  EXPECT_EQ(refusal("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (), }", 4),
            path() + " holds structured elements; plain ones are read");
}

TEST_F(Npy, BitsOfUnsignedElementsAreRead) {
  const auto read = [&](const char* element, int bytes) {
    write_file(fmt::format("{{'descr': '<{}', 'fortran_order': True, 'shape': (1, 3), }}", element),
               3 * bytes);
    return read_npy_bits(path());
  };
  for (const auto& [element, bytes] : {std::pair("u8", 8), {"u4", 4}, {"u2", 2}, {"i2", 2}}) {
    const NpyArray array = read(element, bytes);
    EXPECT_EQ(array.elements, element);
    EXPECT_EQ(array.bits.bytes(), static_cast<size_t>(3 * bytes));
    EXPECT_EQ(array.bits.shape(), (std::vector<int64_t>{1, 3}));
    EXPECT_EQ(refusal(), fmt::format("{} holds '<{}'; f8, f4, f2, i8, i4, i1, u1 and b1 are read",
                                     path(), element));
  }
  EXPECT_EQ(read("f4", 4).bits.dtype(), DType::f32);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { read("c8", 8); }),
            path() + " holds '<c8'; f8, f4, f2, i8 to i1, u8 to u1 and b1 are read");
}

TEST_F(Npy, RefusesAMalformedHeader) {
  const auto expect = [&](const std::string& header, const std::string& expected, size_t at) {
    EXPECT_EQ(refusal(header), fmt::format("{} has a malformed .npy header: expected {} at byte {} "
                                           "of \"{}\"",
                                           path(), expected, at, header));
  };
  expect("", "'{'", 0);
  expect("{'descr': '<f4'", "','", 15);
  expect("{'descr' '<f4'", "':'", 9);
  expect("{'descr': '<f4", "a closing quote", 10);
  expect("{descr: '<f4'", "a string", 1);
  expect("{'order': 1", "'descr', 'fortran_order' or 'shape'", 9);
  expect("{'fortran_order': 0", "True or False", 18);
  expect("{'shape': (-1,)", "an extent", 11);
  expect("{'shape': (99999999999999999999,)", "an extent below 2^63", 29);
  expect("{'shape': 3", "'('", 10);
  expect("{'descr': '<f4', 'shape': ()}", "'fortran_order'", 29);
  expect("{'descr': '<f4', 'fortran_order': True}", "'shape'", 39);
  expect("{'shape': (), 'fortran_order': True}", "'descr'", 36);
  expect("{'descr': '<f4', 'fortran_order': True, 'shape': ()} x", "nothing after '}'", 53);
}

TEST_F(Npy, RefusesAShapeThatOverflows) {
  EXPECT_EQ(
      refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"),
      path() + ": f32[4294967296, 4294967296] takes more than 2^63 - 1 bytes");
}

TEST_F(Npy, RefusesToWriteBfloat16) {
  EXPECT_EQ(thrown_message<RuntimeError>([&] { write_npy(path(), Array<BFloat16>({2})); }),
            "cannot write " + path() + ": bf16 has no .npy form; cast it to f32 first");
}

TEST_F(Npy, WritesTf32AsTheFloatsOfItsMemory) {
  write_npy(path(), Array<TensorFloat32>({TensorFloat32(1.5F), TensorFloat32(0.1F)}, {2}));
  const AnyArray read = read_npy(path());
  EXPECT_EQ(read.dtype(), f32);
  EXPECT_EQ(Array<float>(read).to_vector(), (std::vector<float>{1.5F, tf32_nearest(0.1F)}));
}

TEST_F(Npy, RefusesToWriteFloatsOfEightBits) {
  EXPECT_EQ(thrown_message<RuntimeError>([&] { write_npy(path(), Array<Float8E4M3>({2})); }),
            "cannot write " + path() + ": f8e4m3 has no .npy form; cast it to f32 first");
}

TEST_F(Npy, LeavesTheOldFileWhereItCannotWrite) {
  write_npy(path(), Array<float>({1, 2}, {2}));
  const std::string target = folder_.file("folder.npy");
  std::filesystem::create_directory(target);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { write_npy(target, Array<float>({2})); }),
            "cannot write " + target + ": Is a directory");
  const std::string nowhere = folder_.file("nowhere/a.npy");
  EXPECT_EQ(thrown_message<RuntimeError>([&] { write_npy(nowhere, Array<float>({2})); }),
            "cannot write " + nowhere + ": No such file or directory");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_TRUE(entry.path() == path() || entry.path() == target)
        << entry.path() << " is left over";
}

}  // namespace npy_test
}  // namespace hone
