// The places of CUDA text in PTX: `.file`, `.loc`, and the names of functions in `.debug_str`.
#pragma once

#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "runtime/ptx/text/lexer.h"

namespace hone::ptx {

class Locations {
 public:
  /// Behind ".file".
  void parse_file(Lexer& lexer);
  /// Behind ".loc"; the number of the place in Module::locations.
  int parse_location(Lexer& lexer);
  /// Behind ".section": text of other sections than .debug_str is skipped.
  void parse_section(Lexer& lexer);
  /// Places where functions are inlined are those of one function.
  void begin_function() { latest_.clear(); }
  /// Hands over all, with the names of functions.
  void finish(Module& module);

 private:
  struct Label {
    llvm::StringRef name;
    int64_t offset = 0;
    bool operator==(const Label&) const = default;
  };
  struct Place {
    int64_t file = 0, line = 0, column = 0;
  };

  int index_of_file(int64_t number);
  static Place parse_place(Lexer& lexer);
  static Label parse_label(Lexer& lexer);
  /// The number of the last such place in the function, which is made where there is none.
  int find(const Place& place);
  int add(const Place& place, int caller, const Label& function);
  uint64_t key_of(const Place& place) const;
  void parse_strings(Lexer& lexer);
  std::string name_at(const Label& label) const;

  std::vector<std::string> files_;
  llvm::DenseMap<int64_t, int> file_numbers_;
  std::vector<Location> locations_;
  std::vector<Label> functions_;  ///< by location
  llvm::DenseMap<uint64_t, int> latest_;
  std::string strings_;  ///< the bytes of .debug_str
  llvm::DenseMap<llvm::StringRef, size_t> string_labels_;
};

}  // namespace hone::ptx
