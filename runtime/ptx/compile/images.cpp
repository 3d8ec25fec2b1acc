// Textures and surfaces: tex, tld4, suld, sust, txq, suq, by handles in registers.

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "runtime/ptx/compile/address.h"
#include "runtime/ptx/images/ops.h"

namespace hone::ptx {
namespace {

using llvm::StringRef;
using Outside = ImageDetail::Outside;
using Question = ImageDetail::Question;

std::optional<ImageShape> shape_named(StringRef modifier) {
  return llvm::StringSwitch<std::optional<ImageShape>>(modifier)
      .Case("1d", ImageShape{1, false, false})
      .Case("2d", ImageShape{2, false, false})
      .Case("3d", ImageShape{3, false, false})
      .Case("a1d", ImageShape{1, true, false})
      .Case("a2d", ImageShape{2, true, false})
      .Case("cube", ImageShape{2, false, true})
      .Case("acube", ImageShape{2, true, true})
      .Default(std::nullopt);
}

/// One instruction as it is compiled.
class ImageCompiler {
 public:
  /// `known` are its modifiers that are neither shapes nor types.
  ImageCompiler(FunctionCompiler& compiler, const Instruction& instruction,
                std::initializer_list<StringRef> known)
      : compiler_(compiler), instruction_(instruction) {
    for (const std::string& modifier : instruction.modifiers) {
      if (const auto shape = shape_named(modifier))
        detail.shape = *shape;
      else if (const auto type = type_named(modifier))
        types.push_back(*type);
      else if (!llvm::is_contained(known, modifier))
        refuse(fmt::format(".{} is not known", modifier));
    }
  }

  const Operand& operand(size_t n) const { return instruction_.operands[n]; }
  bool has(StringRef modifier) const { return instruction_.has(modifier); }
  void refuse(const std::string& why) {
    if (!is_refused_) compiler_.refuse(instruction_, why);
    is_refused_ = true;
  }
  /// Refuses forms with more operands or fewer.
  bool has_operands(size_t count) {
    if (instruction_.operands.size() != count)
      refuse(fmt::format("a form with {} operands is not known", instruction_.operands.size()));
    return !is_refused_;
  }

  /// [handle, {layer, x, y, z}]; surplus coordinates mean nothing.
  void read_place(const Operand& place) {
    read_handle(place);
    if (is_refused_) return;
    if (place.parts.size() != 2) return refuse("the coordinates are missing");
    llvm::ArrayRef<Operand> parts = parts_of(place.parts[1]);
    const size_t count = detail.shape.is_cube ? 3 : detail.shape.dims;
    if (parts.size() < count + (detail.shape.has_layers ? 1 : 0))
      return refuse("coordinates are missing");
    if (detail.shape.has_layers) detail.layer = word(parts.front());
    if (detail.shape.has_layers) parts = parts.drop_front();
    for (const Operand& part : parts.take_front(count)) detail.coordinates.push_back(word(part));
  }

  void read_handle(const Operand& place) {
    const bool has_register = place.is(Operand::Kind::address) && !place.parts.empty() &&
                              place.parts.front().is(Operand::Kind::reg) && place.integer == 0;
    if (!has_register || compiler_.register_bytes(place.parts.front(), 8) != 8)
      return refuse("a texture or surface that is no handle in a register is not known");
    detail.handle = compiler_.destination(place.parts.front());
  }

  void read_results(const Operand& results) {
    if (results.is(Operand::Kind::pair))
      return refuse("the predicate for sparse textures is not known");
    for (const Operand& part : parts_of(results))
      detail.results.push_back(compiler_.destination(part));
  }

  /// The access of a fetch; what it reads depends on the texture.
  void add_fetch() {
    detail.access = add_access(compiler_, instruction_, MemoryDetail::Kind::load, Space::global, 4,
                               "a texture fetch");
    compiler_.program.memory[detail.access].is_of_image = true;
  }

  /// The access of a surface instruction, with its values.
  void add_surface_access(MemoryDetail::Kind kind, const Operand& values) {
    MemoryDetail access;
    access.kind = kind;
    access.space = Space::global;
    access.type = types.front();
    access.bytes = bytes_of(access.type);
    access.register_bytes = std::max(access.bytes, 2);
    access.is_of_image = true;
    access.place = compiler_.place(instruction_);
    for (const Operand& part : parts_of(values)) {
      access.values.push_back(kind == MemoryDetail::Kind::load
                                  ? compiler_.destination(part)
                                  : compiler_.value(instruction_, part, access.type));
      if (part.is(Operand::Kind::reg))
        access.register_bytes = compiler_.register_bytes(part, access.register_bytes);
    }
    detail.access = static_cast<uint32_t>(compiler_.program.memory.size());
    compiler_.program.memory.push_back(std::move(access));
  }

  void finish(Op::Execute execute) {
    if (is_refused_) return;
    const auto number = static_cast<uint32_t>(compiler_.program.images.size());
    compiler_.program.images.push_back(std::move(detail));
    compiler_.emit(instruction_, execute, Op::Kind::control, number);
  }

  ImageDetail detail;
  llvm::SmallVector<Type, 2> types;

 private:
  Ref word(const Operand& part) {
    return compiler_.value(instruction_, part,
                           detail.has_whole_coordinates ? Type::b32 : Type::f32);
  }

  FunctionCompiler& compiler_;
  const Instruction& instruction_;
  bool is_refused_ = false;
};

/// Four values of 32 bits, and coordinates that are floats, or whole ones of linear memory.
void read_fetch_types(ImageCompiler& fetch) {
  const auto& types = fetch.types;
  const bool has_words = types.size() == 2 && fetch.has("v4") &&
                         (types[0] == Type::f32 || types[0] == Type::s32 || types[0] == Type::u32);
  if (!has_words) return fetch.refuse("results other than four of 32 bits are not known");
  fetch.detail.has_whole_coordinates = types[1] != Type::f32;
  if (types[1] == Type::f32) return;
  const bool is_element = types[1] == Type::s32 && fetch.detail.shape == ImageShape{};
  if (!is_element || fetch.has("level") || fetch.has("grad"))
    fetch.refuse("whole coordinates are known of tex.1d alone");
}

/// {results}, [handle, {coordinates}]; then a level, or two gradients: without mipmaps, there is
/// one level.
void compile_texture_fetch(FunctionCompiler& compiler, const Instruction& instruction) {
  ImageCompiler fetch(compiler, instruction, {"v4", "level", "grad"});
  read_fetch_types(fetch);
  const size_t operands = fetch.has("level") ? 3 : fetch.has("grad") ? 4 : 2;
  if (!fetch.has_operands(operands)) return;
  fetch.read_results(fetch.operand(0));
  fetch.read_place(fetch.operand(1));
  fetch.add_fetch();
  fetch.finish(run_texture_fetch);
}

void compile_texture_gather(FunctionCompiler& compiler, const Instruction& instruction) {
  constexpr std::array<const char*, 4> channels = {"r", "g", "b", "a"};
  ImageCompiler fetch(compiler, instruction, {"v4", "r", "g", "b", "a"});
  read_fetch_types(fetch);
  if (!fetch.has_operands(2)) return;
  for (size_t n = 0; n < channels.size(); ++n)
    if (fetch.has(channels[n])) fetch.detail.channel = static_cast<int>(n);
  fetch.read_results(fetch.operand(0));
  fetch.read_place(fetch.operand(1));
  fetch.add_fetch();
  fetch.finish(run_texture_gather);
}

void compile_surface_access(FunctionCompiler& compiler, const Instruction& instruction,
                            MemoryDetail::Kind kind) {
  const bool is_load = kind == MemoryDetail::Kind::load;
  ImageCompiler access(
      compiler, instruction,
      {"b", "v2", "v4", "trap", "clamp", "zero", "ca", "cg", "cs", "cv", "wb", "wt"});
  if (!access.has_operands(2)) return;
  if (access.types.size() != 1 || !access.has("b") || access.detail.shape.is_cube)
    return access.refuse("the form is not known");
  access.detail.has_whole_coordinates = true;
  access.detail.outside = access.has("clamp")  ? Outside::clamp
                          : access.has("zero") ? Outside::zero
                                               : Outside::trap;
  access.read_place(access.operand(is_load ? 1 : 0));
  access.add_surface_access(kind, access.operand(is_load ? 0 : 1));
  access.finish(is_load ? run_surface_load : run_surface_store);
}

void compile_surface_load(FunctionCompiler& compiler, const Instruction& instruction) {
  compile_surface_access(compiler, instruction, MemoryDetail::Kind::load);
}

void compile_surface_store(FunctionCompiler& compiler, const Instruction& instruction) {
  compile_surface_access(compiler, instruction, MemoryDetail::Kind::store);
}

std::optional<Question> question_of(const Instruction& instruction) {
  constexpr std::pair<const char*, Question> questions[] = {{"width", Question::width},
                                                            {"height", Question::height},
                                                            {"depth", Question::depth},
                                                            {"array_size", Question::layers},
                                                            {"num_mipmap_levels", Question::levels},
                                                            {"num_samples", Question::samples}};
  for (const auto& [name, question] : questions)
    if (instruction.has(name)) return question;
  return std::nullopt;
}

void compile_question(FunctionCompiler& compiler, const Instruction& instruction) {
  const bool is_texture = instruction.opcode == "txq";
  ImageCompiler question(
      compiler, instruction,
      {"width", "height", "depth", "array_size", "num_mipmap_levels", "num_samples"});
  if (!question.has_operands(2)) return;
  const auto asked = question_of(instruction);
  if (!asked) return question.refuse("the form is not known");
  question.detail.question = *asked;
  question.read_results(question.operand(0));
  question.read_handle(question.operand(1));
  question.finish(is_texture ? run_texture_question : run_surface_question);
}

const FunctionCompiler::Family image_handlers = {
    {"tex", compile_texture_fetch}, {"tld4", compile_texture_gather},
    {"suld", compile_surface_load}, {"sust", compile_surface_store},
    {"txq", compile_question},      {"suq", compile_question}};

}  // namespace

const FunctionCompiler::Family& image_family() { return image_handlers; }

}  // namespace hone::ptx
