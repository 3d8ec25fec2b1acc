#include "runtime/cuda_text/cuda_text.h"

#include <set>

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/cuda_text/compile_apart.h"
#include "runtime/cuda_text/compile_log.h"
#include "runtime/cuda_text/dialect.h"
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

/// The file where NVRTC reads the names of instances.
constexpr char name_file[] = "__nv_name_map";

/// True if NVRTC may read a file that the job does not hold.
bool reads_more_files(const CudaText& text, const Sources& sources) {
  const auto asks_for_files = [](StringRef directive) {
    return directive.contains("__has_include");
  };
  return llvm::any_of(text.options,
                      [](StringRef option) {
                        return option.startswith("-I") || option.contains("include") ||
                               option.contains("pch");
                      }) ||
         llvm::any_of(sources.units(), [&](const auto& unit) {
           return llvm::any_of(unit->directives("if"), asks_for_files) ||
                  llvm::any_of(unit->directives("elif"), asks_for_files) ||
                  llvm::any_of(unit->includes(),
                               [](const Include& include) { return include.name.empty(); });
         });
}

class Translation {
 public:
  explicit Translation(const CudaText& text)
      : text_(text),
        expressions_(text.expressions),
        sources_(text.path, text.folders),
        old_functions_(old_functions_of(sources_)),
        may_keep_(!reads_more_files(text, sources_)) {}

  TranslatedText run() {
    for (int round = 0; round < most_rounds; ++round) {
      CompileReply reply = this->reply();
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
    job.schedule = text_.path;
    job.arch = text_.has_machine_code ? text_.arch : virtual_arch(text_.arch);
    job.source = fmt::format("{}{}#include \"{}\"\n", prelude(), old_functions_.text,
                             sources_.main().path());
    job.headers = stand_in_headers(has_templates_);
    job.headers.merge(sources_.texts());
    job.expressions = expressions_;
    job.options = {"-lineinfo", "-default-device"};
    const NvrtcInfo* info = nvrtc_info();
    if (info && !info->headers.empty()) job.options.push_back("-I" + info->headers + "/cccl");
    job.options.insert(job.options.end(), text_.options.begin(), text_.options.end());
    return job;
  }

  CompileReply compiled(const CompileJob& job) const {
    return may_keep_ ? compile_kept(job) : compile_apart(job);
  }

  /// NVRTC crashes on instances in some texts that have errors: these are of the text alone.
  CompileReply reply() const {
    CompileJob job = this->job();
    try {
      return compiled(job);
    } catch (const CompileCrash&) {
      if (expressions_.empty()) throw;
      job.expressions.clear();
      CompileReply reply = compiled(job);
      if (reply.is_compiled) throw;
      return reply;
    }
  }

  TranslatedText finish(CompileReply reply) {
    TranslatedText result;
    result.kernels = kernels_in(reply.ptx, &sources_);
    result.ptx = std::move(reply.ptx);
    result.cubin = std::move(reply.cubin);
    if (text_.has_machine_code) result.resources = parse_ptxas_log(reply.log);
    result.templates = kernel_templates(sources_);
    result.mangled = std::move(reply.mangled);
    result.left_out = sources_.left_out();
    for (const StringRef name : old_functions_.names)
      result.notes.push_back(
          fmt::format("{} is of before CUDA 9: it takes the active lanes as its mask", name.str()));
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
    if (leave_out_expressions(errors) || leave_out_headers(errors)) return;
    const bool is_in_toolkit = llvm::any_of(errors, lies_in_toolkit);
    if (is_in_toolkit && (take_templates() || leave_out_toolkit_headers(errors))) return;
    const bool has_less_types = leave_out_types(errors);
    if (leave_out_if(errors,
                     [&](const PlacedError& error) {
                       return !is_for_device(*error.declaration, sources_.annotations());
                     }) ||
        has_less_types)
      return;
    if (take_templates()) return;
    if (leave_out_if(errors, [&](const PlacedError& error) { return !is_kernel_of(error); }))
      return;
    if (has_good_kernel(errors) &&
        leave_out_if(errors, [&](const PlacedError& error) { return !is_asked_for(error); }))
      return;
    refuse(errors, log);
  }

  bool take_templates() {
    if (has_templates_ || !asks_for_templates()) return false;
    has_templates_ = true;
    return true;
  }
  /// The text includes a header that libcu++ has.
  bool asks_for_templates() const {
    const auto plain = stand_in_headers(false), all = stand_in_headers(true);
    return llvm::any_of(sources_.units(), [&](const auto& unit) {
      return llvm::any_of(unit->includes(), [&](const Include& include) {
        const auto known = plain.find(include.name);
        return known != plain.end() && known->second != all.at(include.name);
      });
    });
  }

  bool is_kernel_of(const PlacedError& error) const {
    return is_kernel(*error.declaration, sources_.annotations());
  }
  bool is_asked_for(const PlacedError& error) const {
    return llvm::any_of(expressions_,
                        [&](StringRef one) { return base_name(one) == error.declaration->name; });
  }
  /// True if a kernel is left that has no errors.
  bool has_good_kernel(llvm::ArrayRef<PlacedError> errors) const {
    bool found = false;
    for (const auto& unit : sources_.units())
      for (const Declaration& outer : unit->declarations())
        for_each_declaration(outer, [&](const Declaration& declaration) {
          const bool is_bad =
              unit->is_left_out(declaration) || llvm::any_of(errors, [&](const PlacedError& error) {
                return error.declaration == &declaration;
              });
          found |= !is_bad && is_kernel(declaration, sources_.annotations());
        });
    return found;
  }
  static void for_each_declaration(const Declaration& declaration,
                                   llvm::function_ref<void(const Declaration&)> use) {
    use(declaration);
    for (const Declaration& member : declaration.members) for_each_declaration(member, use);
  }

  static bool lies_in_toolkit(const PlacedError& error) {
    return !error.unit && StringRef(error.message.file).startswith("/");
  }
  /// Headers of the toolkit with errors of their own: they are for the host.
  bool leave_out_toolkit_headers(llvm::ArrayRef<PlacedError> errors) {
    std::map<std::string, std::string> why;
    for (const PlacedError& error : errors)
      if (lies_in_toolkit(error)) why.emplace(error.message.file, error.message.text);
    bool has_changed = false;
    for (const auto& unit : sources_.units())
      for (const Include& include : unit->includes())
        for (const auto& [file, text] : why)
          if (!include.name.empty() && StringRef(file).endswith("/" + include.name))
            has_changed |= sources_.leave_out(*unit, include, text);
    return has_changed;
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

  /// Types with errors that no other text mentions, and that have nothing for the device.
  bool leave_out_types(llvm::ArrayRef<PlacedError> errors) {
    bool has_changed = false;
    std::set<const Declaration*> seen;
    for (const PlacedError& error : errors) {
      const Declaration* const type =
          error.unit ? error.unit->find_type(error.message.line) : nullptr;
      if (!type || !seen.insert(type).second || !is_host_type(*type)) continue;
      sources_.leave_out(*error.unit, *type, error.message.text);
      has_changed = true;
    }
    return has_changed;
  }
  bool is_host_type(const Declaration& type) const {
    bool is_for_device = false;
    for_each_declaration(type, [&](const Declaration& one) {
      is_for_device |= is_device_code(one, sources_.annotations());
    });
    return !is_for_device && !type.name.empty() &&
           llvm::none_of(sources_.units(),
                         [&](const auto& unit) { return unit->mentions(type.name, type); });
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
  bool leave_out_expressions(llvm::ArrayRef<PlacedError> errors) {
    if (errors.empty() || errors.front().message.file != name_file) return false;
    const std::string& why = errors.front().message.text;
    const StringRef name = base_name(expressions_.front());
    const bool is_template = !has_plain_kernel(sources_, name) &&
                             why.find("\"" + name.str() + "\"") == std::string::npos;
    if (is_template)
      throw RuntimeError("NVRTC does not understand the kernel '{}' of {}: {}",
                         expressions_.front(), text_.path, why);
    expressions_.clear();
    return true;
  }

  [[noreturn]] void refuse(llvm::ArrayRef<PlacedError> errors, StringRef log) const {
    std::string text;
    for (const PlacedError& error : errors.take_front(most_errors_shown))
      if (error.message.file != name_file || errors.front().message.file == name_file)
        text += fmt::format("\n  {}:{}: {}", short_path(error.message.file), error.message.line,
                            error.message.text);
    if (errors.empty()) text = "\n  " + log.trim().str();
    text += reasons_in(text, sources_.left_out());
    throw RuntimeError("NVRTC refuses {}, compiled for {}:{}{}", text_.path,
                       virtual_arch(text_.arch), missing_headers(), text);
  }
  /// A line each, behind a line end; headers of the toolkit are none.
  std::string missing_headers() const {
    std::string text;
    for (const LeftOut& one : sources_.left_out())
      if (one.is_missing)
        text += fmt::format("\n  {}:{}: {} is not found; -I names a folder of headers",
                            short_path(one.file), one.line, one.what);
    return text;
  }

  const CudaText& text_;
  std::vector<std::string> expressions_;
  Sources sources_;
  OldFunctions old_functions_;
  bool may_keep_;  ///< the answers of NVRTC, for later processes
  bool has_templates_ = false;
};

}  // namespace

TranslatedText translate(const CudaText& text) { return Translation(text).run(); }

}  // namespace hone::ptx
