#include "tools/cli/cuda/trace_text.h"

#include "fmt/ranges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "runtime/files.h"
#include "runtime/sim/finding.h"
#include "tools/cli/cuda/kernel_result.h"

namespace hone {
namespace {

using ptx::TracedEvent;
using ptx::TracedPlace;
using Kind = TracedEvent::Kind;

// ---- Values -------------------------------------------------------------------------------------

/// The element of a type of PTX; null of what has none.
const ElementType* element_of(ptx::Type type) {
  std::string name = ptx::name_of(type).str();
  if (llvm::StringRef(name).endswith("x2")) name.resize(name.size() - 2);
  if (name[0] == 's' || name[0] == 'b') name = name == "bf16" ? name : "i" + name.substr(1);
  if (name[0] == 'e') name = "f8" + name;
  return find_element_type(type == ptx::Type::pred ? "bool" : name);
}

const ElementType* element_of(const TracedPlace& place, const KernelRun& run) {
  for (const RunArgument& argument : run.arguments)
    if (argument.name == place.array && argument.given.kind == ArgumentKind::array)
      return argument.given.type;
  return nullptr;
}

/// Bytes as elements: the type of the array comes before that of the instruction.
struct Elements {
  const ElementType* type = nullptr;
  std::vector<std::string> texts;

  Elements(const std::vector<std::byte>& bytes, const ElementType* type) : type(type) {
    if (!type) return;
    for (size_t at = 0; at + type->bytes <= bytes.size(); at += type->bytes)
      texts.push_back(element_text(*type, read_element(*type, &bytes[at])));
  }
  std::string joined() const { return fmt::format("{}", fmt::join(texts, ", ")); }
};

const ElementType* element_of(const TracedEvent& event, const KernelRun& run) {
  const ElementType* const own = element_of(event.type);
  const ElementType* const wanted = element_of(event.place, run);
  const bool fits =
      wanted && event.place.offset % wanted->bytes == 0 && event.values.size() % wanted->bytes == 0;
  return fits ? wanted : own;
}

std::string index_text(const TracedPlace& place, int64_t bytes, int64_t count) {
  if (place.offset < 0) return "";
  if (bytes == 0 || place.offset % bytes != 0 || place.array == "local memory")
    return fmt::format(", byte {}", place.offset);
  const int64_t first = place.offset / bytes;
  return count <= 1 ? fmt::format("[{}]", first)
                    : fmt::format("[{}..{}]", first, first + count - 1);
}

/// Masks of lanes are read bit by bit.
std::string exchanged_text(const TracedEvent& event) {
  const llvm::StringRef name = event.name;
  const bool is_mask =
      name.contains("ballot") || name.contains("match") || name == "activemask.b32";
  if (!is_mask || event.values.size() != 4)
    return Elements(event.values, element_of(event.type)).joined();
  uint32_t mask = 0;
  std::memcpy(&mask, event.values.data(), sizeof mask);
  return fmt::format("{:#010x}", mask);
}

std::string atomic_name(llvm::StringRef operation) {
  if (operation == "cas") return "atomicCAS";
  std::string name = operation.str();
  name[0] = static_cast<char>(std::toupper(name[0]));
  return "atomic" + name;
}

std::string barrier_text(llvm::StringRef name) {
  const char* const who = name.contains("warp")      ? "warp"
                          : name.contains("cluster") ? "cluster"
                                                     : "block";
  return fmt::format(
      "{} {}", name.contains("arrive") ? "arrives at a barrier of its" : "waits for its", who);
}

// ---- Deeds --------------------------------------------------------------------------------------

EventText access_text(const TracedEvent& event, const KernelRun& run) {
  const bool is_atomic = event.kind == Kind::atomic, is_load = event.kind == Kind::load;
  const ElementType* const type = element_of(event, run);
  const Elements values(event.values, type);
  const bool is_known = event.place.offset >= 0;
  EventText text;
  text.deed = is_atomic ? atomic_name(event.name) : is_load ? "reads" : "writes";
  text.index =
      index_text(event.place, type ? type->bytes : 0, static_cast<int64_t>(values.texts.size()));
  text.value = values.joined();
  std::string old;
  if (!event.old.empty()) old = ", returns " + Elements(event.old, type).joined();
  const char* const to = is_known ? "" : is_load ? "from " : "to ";
  const std::string place = event.place.array + text.index;
  if (!event.is_over)
    text.whole = fmt::format("{} {}{}: the launch ends here", text.deed, to, place);
  else if (is_atomic)
    text.whole = fmt::format("{} of {} at {}{}", text.deed, text.value, place, old);
  else
    text.whole = fmt::format("{} {}{} = {}", text.deed, to, place, text.value);
  text.value += old;
  text.deed += " " + event.place.array;
  return text;
}

/// The relation of two values, if it is known.
std::string condition_text(const TracedEvent& event) {
  const Elements sides(event.values, element_of(event.type));
  if (sides.texts.size() != 2) return "";
  return fmt::format("{} {} {}", sides.texts[0], event.name, sides.texts[1]);
}

EventText branch_text(const TracedEvent& event) {
  const std::string condition = condition_text(event);
  const std::string way =
      event.number > 0 ? fmt::format("jumps to line {}", event.number) : "goes on";
  EventText text{"branch", "", condition.empty() ? way : condition + ": " + way, ""};
  text.whole = text.value;
  return text;
}

EventText plain_text(std::string deed, const std::string& value, std::string whole) {
  return {std::move(deed), "", value, std::move(whole)};
}

}  // namespace

EventText event_text(const TracedEvent& event, const KernelRun& run) {
  const std::string value = Elements(event.values, element_of(event, run)).joined();
  switch (event.kind) {
    case Kind::load:
    case Kind::store:
    case Kind::atomic:
      return access_text(event, run);
    case Kind::branch:
      return branch_text(event);
    case Kind::compare:
      return plain_text("compares", condition_text(event), condition_text(event));
    case Kind::shuffle:
      return plain_text("shuffle", fmt::format("{} of lane {}", value, event.number),
                        fmt::format("gets {} from lane {}", value, event.number));
    case Kind::exchange:
      return plain_text(event.name, exchanged_text(event),
                        fmt::format("{} = {}", event.name, exchanged_text(event)));
    case Kind::barrier:
      return plain_text(barrier_text(event.name), "", barrier_text(event.name));
    case Kind::call:
      return plain_text("calls " + event.name, "", "calls " + event.name);
    case Kind::special:
      return plain_text(event.name, value, fmt::format("{} = {}", event.name, value));
    case Kind::result:
      return plain_text(event.name, value, "= " + value);
    case Kind::copy: {
      const auto place = [&](const TracedPlace& at) {
        const ElementType* const type = element_of(at, run);
        return at.array + index_text(at, type ? type->bytes : 4, 1);
      };
      const std::string ways = fmt::format("{} bytes from {} to {}", event.number,
                                           place(event.from), place(event.place));
      return plain_text("copies", ways, "copies " + ways);
    }
    case Kind::other:
      return plain_text(event.name, "", event.name);
  }
  return {};
}

// ---- A thread -----------------------------------------------------------------------------------

namespace {

constexpr size_t trace_columns = 100;

std::string source_line(const std::string& file, int line, SourceLines& sources) {
  ptx::Site site;
  site.file = file;
  site.line = line;
  return sources.of(site);
}

/// "saxpy.cu:7"
std::string place_text(const ptx::TracedLine& line) {
  return fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1), line.line);
}

/// Parts with commas between them, in lines that begin with so many blanks.
std::string wrapped(const std::vector<std::string>& parts, size_t indent) {
  std::string text, line;
  for (size_t n = 0; n < parts.size(); ++n) {
    const std::string part = parts[n] + (n + 1 < parts.size() ? "," : "");
    if (!line.empty() && indent + line.size() + 1 + part.size() > trace_columns) {
      text += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + part;
  }
  return line.empty() ? text : text + std::string(indent, ' ') + line + "\n";
}

}  // namespace

std::string trace_text(const ptx::ThreadTrace& trace, const ptx::ThreadChoice& choice,
                       const KernelRun& run) {
  std::string text =
      fmt::format("thread {} of block {}:\n", triple(choice.thread), triple(choice.block));
  size_t width = 14;
  for (const ptx::TracedLine& line : trace.lines())
    width = std::max(width, place_text(line).size());
  SourceLines sources;
  for (const ptx::TracedLine& line : trace.lines()) {
    std::vector<std::string> deeds;
    for (const TracedEvent& event : line.events) deeds.push_back(event_text(event, run).whole);
    text += fmt::format("{:<{}}  {}\n", place_text(line), width,
                        source_line(line.file, line.line, sources));
    text += wrapped(deeds, width + 4);
  }
  if (trace.more_lines() > 0)
    text += fmt::format("... and {} more lines; --trace-limit={} shows all\n", trace.more_lines(),
                        trace.more_lines() + static_cast<int64_t>(trace.lines().size()));
  return text;
}

// ---- A warp at a line ---------------------------------------------------------------------------

namespace {

/// A column of the table: its cells by lane.
struct Cells {
  std::string heading;
  std::array<std::string, 32> cells{};
  bool is_uniform = true;  ///< all lanes that are here have the same
  std::string whole{};     ///< of one of these

  size_t width() const {
    size_t width = heading.size();
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    return width;
  }
};

Cells cells_of(const ptx::LineStop::Column& column, uint32_t active, const KernelRun& run) {
  Cells cells;
  std::optional<std::string> first;
  for (int lane = 0; lane < 32; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    EventText text;
    if (column.lanes[lane]) text = event_text(*column.lanes[lane], run);
    if (cells.heading.empty()) cells.heading = text.deed;
    const bool is_of_heading = text.deed == cells.heading;
    const std::string index = llvm::StringRef(text.index).ltrim(", ").str();
    cells.cells[lane] = (is_of_heading ? "" : text.deed) + index +
                        (index.empty() || text.value.empty() ? "" : " = ") + text.value;
    if (!first) {
      first = text.deed + text.whole;
      cells.whole = column.lanes[lane] && column.lanes[lane]->kind == Kind::result
                        ? text.deed + " " + text.whole
                        : text.whole;
    }
    cells.is_uniform &= *first == text.deed + text.whole;
  }
  return cells;
}

/// "0 to 3, 8"
std::string lanes_text(uint32_t mask) {
  std::vector<std::string> parts;
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    int last = lane;
    while (last < 31 && (mask >> (last + 1) & 1) != 0) ++last;
    parts.push_back(last == lane ? fmt::format("{}", lane) : fmt::format("{} to {}", lane, last));
    lane = last;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string without_blanks_behind(std::string line) {
  return llvm::StringRef(line).rtrim(' ').str() + "\n";
}

std::string table_text(const ptx::LineStop& stop, llvm::ArrayRef<Cells> columns) {
  std::string text = fmt::format("  {:>4}  {:<15}", "lane", "thread");
  for (const Cells& column : columns)
    text += fmt::format("  {:<{}}", column.heading, column.width());
  text = without_blanks_behind(text);
  for (int lane = 0; lane < 32; ++lane) {
    if ((stop.active >> lane & 1) == 0) continue;
    std::string line = fmt::format("  {:>4}  {:<15}", lane, triple(stop.threads[lane]));
    for (const Cells& column : columns)
      line += fmt::format("  {:<{}}", column.cells[lane], column.width());
    text += without_blanks_behind(line);
  }
  return text;
}

/// As many tables as it takes.
std::string tables_text(const ptx::LineStop& stop, llvm::ArrayRef<Cells> columns) {
  constexpr size_t labels = 23;
  std::string text;
  while (!columns.empty()) {
    size_t count = 0;
    for (size_t width = labels; count < columns.size(); ++count) {
      width += columns[count].width() + 2;
      if (width > trace_columns && count > 0) break;
    }
    text += table_text(stop, columns.take_front(count));
    columns = columns.drop_front(count);
  }
  return text;
}

}  // namespace

std::string stop_text(const ptx::LineStop& stop, const KernelRun& run) {
  SourceLines sources;
  std::string text = fmt::format("{}:{}: warp {} of block {}, {} of {} lanes are here\n    {}\n",
                                 short_path(stop.file), stop.line, stop.warp, triple(stop.block),
                                 std::popcount(stop.active), std::popcount(stop.present),
                                 source_line(stop.file, stop.line, sources));
  std::vector<Cells> differing;
  std::vector<std::string> uniform;
  for (const ptx::LineStop::Column& column : stop.columns) {
    Cells cells = cells_of(column, stop.active, run);
    if (cells.is_uniform)
      uniform.push_back(cells.whole);
    else
      differing.push_back(std::move(cells));
  }
  text += tables_text(stop, differing);
  if (!uniform.empty()) text += "  in all lanes that are here:\n" + wrapped(uniform, 4);
  if (const uint32_t others = stop.present & ~stop.active; others != 0)
    text += fmt::format("  elsewhere: {} {}\n", std::popcount(others) == 1 ? "lane" : "lanes",
                        lanes_text(others));
  return text;
}

}  // namespace hone
