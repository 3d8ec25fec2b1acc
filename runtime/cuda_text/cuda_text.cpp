#include "runtime/cuda_text/cuda_text.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/cuda_text/compile_apart.h"
#include "runtime/cuda_text/compile_log.h"
#include "runtime/cuda_text/stand_ins.h"
#include "runtime/error.h"
#include "runtime/files.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;

constexpr int most_rounds = 40;
constexpr size_t most_errors_shown = 10;

/// "compute_90a" of "sm_90a": PTX alone.
std::string virtual_arch(StringRef arch) {
  return arch.consume_front("sm_") ? "compute_" + arch.str() : arch.str();
}

/// An error with the declaration that it is in.
struct PlacedError {
  CompileMessage message;
  Unit* unit = nullptr;  ///< null: it is none of the user's files
  const Declaration* declaration = nullptr;
};

class Translation {
 public:
  explicit Translation(const CudaText& text) : text_(text), sources_(text.path, text.folders) {}

  TranslatedText run() {
    for (int round = 0; round < most_rounds; ++round) {
      CompileReply reply = compile_apart(job());
      if (reply.is_compiled) return finish(std::move(reply));
      mend(reply.log);
    }
    throw RuntimeError("NVRTC finds errors in {} after {} attempts to leave them out", text_.path,
                       most_rounds);
  }

 private:
  CompileJob job() const {
    CompileJob job;
    job.name = "prelude";
    job.by_hand = true;
    job.arch = virtual_arch(text_.arch);
    job.source = fmt::format("{}#include \"{}\"\n", prelude(), sources_.main().path());
    job.headers = stand_in_headers(has_templates_);
    job.headers.merge(sources_.texts());
    job.expressions = text_.expressions;
    job.options = {"-lineinfo", "-default-device"};
    const NvrtcInfo* info = nvrtc_info();
    if (info && !info->headers.empty()) job.options.push_back("-I" + info->headers + "/cccl");
    job.options.insert(job.options.end(), text_.options.begin(), text_.options.end());
    return job;
  }

  TranslatedText finish(CompileReply reply) {
    TranslatedText result;
    result.kernels = kernels_in(reply.ptx, &sources_);
    result.ptx = std::move(reply.ptx);
    result.templates = kernel_templates(sources_);
    result.mangled = std::move(reply.mangled);
    result.left_out = sources_.left_out();
    return result;
  }

  std::vector<PlacedError> placed(StringRef log) const {
    std::vector<PlacedError> errors;
    for (CompileMessage& message : errors_in(log)) {
      PlacedError error{std::move(message)};
      error.unit = sources_.find(error.message.file);
      if (error.unit) error.declaration = error.unit->find(error.message.line);
      errors.push_back(std::move(error));
    }
    return errors;
  }

  /// Leaves out what the errors are in; first what matters least. Throws where nothing is left to
  /// leave out.
  void mend(StringRef log) {
    const std::vector<PlacedError> errors = placed(log);
    refuse_expression(errors);
    if (leave_out_headers(errors)) return;
    if (leave_out_if(errors, [&](const PlacedError& error) {
          return !is_for_device(*error.declaration, sources_.annotations());
        }))
      return;
    if (!has_templates_) {
      has_templates_ = true;
      return;
    }
    if (leave_out_if(errors, [&](const PlacedError& error) { return !is_kernel_of(error); }))
      return;
    if (has_good_kernel(errors) &&
        leave_out_if(errors, [&](const PlacedError& error) { return !is_asked_for(error); }))
      return;
    refuse(errors, log);
  }

  bool is_kernel_of(const PlacedError& error) const {
    return is_kernel(*error.declaration, sources_.annotations());
  }
  bool is_asked_for(const PlacedError& error) const {
    return llvm::any_of(text_.expressions, [&](StringRef one) {
      return one.take_until([](char c) { return c == '<'; }).endswith(error.declaration->name);
    });
  }
  /// True if a kernel is left that has no errors.
  bool has_good_kernel(llvm::ArrayRef<PlacedError> errors) const {
    bool found = false;
    for (const auto& unit : sources_.units())
      for_each_function(unit->declarations(), [&](const Declaration& declaration) {
        const bool is_bad =
            unit->is_left_out(declaration) || llvm::any_of(errors, [&](const PlacedError& error) {
              return error.declaration == &declaration;
            });
        found |= !is_bad && is_kernel(declaration, sources_.annotations());
      });
    return found;
  }
  static void for_each_function(llvm::ArrayRef<Declaration> declarations,
                                llvm::function_ref<void(const Declaration&)> use) {
    for (const Declaration& declaration : declarations) {
      use(declaration);
      for_each_function(declaration.members, use);
    }
  }

  bool leave_out_headers(llvm::ArrayRef<PlacedError> errors) {
    for (const PlacedError& error : errors) {
      if (!error.unit || missing_header(error.message).empty()) continue;
      for (const Include& include : error.unit->includes())
        if (include.line == error.message.line) {
          sources_.leave_out(*error.unit, include, error.message.text);
          return true;
        }
    }
    return false;
  }

  bool leave_out_if(llvm::ArrayRef<PlacedError> errors,
                    llvm::function_ref<bool(const PlacedError&)> may) {
    bool has_changed = false;
    for (const PlacedError& error : errors) {
      if (!error.declaration || error.unit->is_left_out(*error.declaration) || !may(error))
        continue;
      sources_.leave_out(*error.unit, *error.declaration, error.message.text);
      has_changed = true;
    }
    return has_changed;
  }

  /// An error in a name of a kernel, where the text has none itself.
  void refuse_expression(llvm::ArrayRef<PlacedError> errors) const {
    if (errors.empty() || errors.front().message.file != "__nv_name_map") return;
    throw RuntimeError("NVRTC does not understand the kernel '{}' of {}: {}",
                       text_.expressions.front(), text_.path, errors.front().message.text);
  }

  [[noreturn]] void refuse(llvm::ArrayRef<PlacedError> errors, StringRef log) const {
    std::string text;
    for (const PlacedError& error : errors.take_front(most_errors_shown))
      text += fmt::format("\n  {}:{}: {}", short_path(error.message.file), error.message.line,
                          error.message.text);
    if (errors.empty()) text = "\n  " + log.trim().str();
    for (const LeftOut& one : sources_.left_out())
      if (StringRef(one.what).startswith("#include") && one.why.empty())
        text += fmt::format("\n  {}:{}: {} is not found", short_path(one.file), one.line, one.what);
      else if (!one.why.empty() && StringRef(text).contains("\"" + one.what + "\""))
        text += fmt::format("\n  {}:{}: {} is left out for its own error: {}", short_path(one.file),
                            one.line, one.what, one.why);
    throw RuntimeError("NVRTC refuses {}, compiled for {}:{}", text_.path, virtual_arch(text_.arch),
                       text);
  }

  const CudaText& text_;
  Sources sources_;
  bool has_templates_ = false;
};

}  // namespace

TranslatedText translate(const CudaText& text) { return Translation(text).run(); }

}  // namespace hone::ptx
