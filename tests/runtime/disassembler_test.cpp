// Machine code as text, by a disassembler that a test provides.
#include "runtime/nvrtc/disassembler.h"

#include <sys/stat.h>

#include "gmock/gmock.h"
#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace disassembler_test {

constexpr const char* cubin = "code";

/// A folder with a program, which is all of PATH but the shell's.
class Tools {
 public:
  Tools(const std::string& name, const std::string& script) {
    write_new_file(folder_.file(name), "#!/bin/sh\n" + script);
    chmod(folder_.file(name).c_str(), 0700);
  }

 private:
  TemporaryFolder folder_;
  ScopedVariable path_{"PATH", (folder_.path() + ":/bin").c_str()};
};

TEST(Disassembler, IsFoundInPath) {
  const Tools tools("cuobjdump", "echo \"$1\"; cat \"$2\"\n");
  EXPECT_EQ(disassemble(cubin), "--dump-sass\ncode");
}

TEST(Disassembler, TellsOfFailures) {
  const Tools tools("cuobjdump", "echo broken; exit 3\n");
  EXPECT_THAT(thrown_message<RuntimeError>([] { disassemble(cubin); }),
              testing::EndsWith("cuobjdump failed: broken\n"));
}

TEST(Disassembler, MayBeMissing) {
  const TemporaryFolder folder;
  const ScopedVariable path("PATH", folder.path().c_str());
  const ScopedVariable home("CUDA_HOME", nullptr), cuda_path("CUDA_PATH", nullptr);
  const std::string message = thrown_message<RuntimeError>([] { disassemble(cubin); });
  if (message == "nothing was thrown" || message.find("failed:") != std::string::npos)
    GTEST_SKIP() << "there is one in /usr/local/cuda";
  EXPECT_EQ(message,
            "no disassembler: neither cuobjdump nor nvdisasm is in PATH, CUDA_HOME, CUDA_PATH or "
            "/usr/local/cuda; a CUDA toolkit has both");
}

}  // namespace disassembler_test
}  // namespace hone
