// A worker that is a shell script: it measures nothing, and fails where it is told to.
#pragma once

#include <filesystem>

#include "llvm/Support/JSON.h"
#include "runtime/files.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tests/tools/command.h"
#include "tools/cli/json_text.h"

namespace hone {

/// Jobs whose text has "crash" or "hang" do that; others take the milliseconds of `times`, lines of
/// a case of the shell over the text of the job: `*"split(i, 64)"*) ms=1.5;;`. The identifiers of
/// all jobs are kept.
class FakeWorker {
 public:
  explicit FakeWorker(const std::string& device, const std::string& times = "") {
    const std::string script = R"sh(read job
case "$job" in
  *'"program"'*) ;;
  *'"sim"'*) echo '{"device": "sim", "device_name": "a fake GPU"}'; exit;;
  *) echo '{"device": "DEVICE", "device_name": "a fake GPU"}'; exit;;
esac
echo "$job" | sed 's/.*"id":"\([^"]*\)".*/\1/' >> FOLDER/started
case "$job" in
  *crash*) echo 'out of luck' >&2; kill -SEGV $$;;
  *hang*) [ ! -e FOLDER/no-hangs ] && sleep 100;;
  *refuse*) echo '{"status": "refused", "problem": "no such axis"}'; exit;;
esac
ms=2.5
case "$job" in
  TIMES
esac
echo '{"status": "ready"}'
while read ask; do
  echo '{"status": "measured", "source": "gpu", "gpu": "a fake GPU",' \
       '"milliseconds": '$ms', "spread": 0.2, "samples": 7}'
done
)sh";
    write_new_file(
        path(), filled(filled(filled(script, "TIMES", times.empty() ? "none) ;;" : times), "DEVICE",
                              device),
                       "FOLDER", folder_.path()));
  }

  /// The option that makes a command use it.
  std::string option() const { return "--worker-command=sh " + path(); }
  std::string file(const char* name) const { return folder_.file(name); }
  /// Those of the jobs that were started, a line each.
  std::string started() const { return read_small_file(file("started"), 1 << 20).value_or(""); }

 private:
  std::string path() const { return file("worker.sh"); }

  static std::string filled(std::string text, const std::string& word, const std::string& value) {
    for (size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + value.size()))
      text.replace(at, word.size(), value);
    return text;
  }

  TemporaryFolder folder_;
};

/// The objects that a command printed, a line each.
inline std::vector<llvm::json::Object> objects_in(llvm::StringRef text) {
  std::vector<llvm::json::Object> objects;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef line : lines) {
    auto value = llvm::json::parse(line);
    EXPECT_TRUE(value && value->getAsObject()) << line.str();
    if (value && value->getAsObject())
      objects.push_back(*value->getAsObject());
    else if (!value)
      llvm::consumeError(value.takeError());
  }
  return objects;
}

inline std::string text_in(const llvm::json::Object& object, const char* field) {
  return value_or(object.getString(field), "(none)").str();
}

}  // namespace hone
