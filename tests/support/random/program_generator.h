// Generates random programs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/program.h"
#include "tests/support/random/random_program.h"

namespace hone {

/// An expression, the C++ that makes it, and the largest magnitude of its values.
struct Term {
  Expr expr;
  std::string text;
  double bound = 0;
};

struct BoundedAxis {
  Axis axis;
  Term extent;  ///< its bound is the largest extent
};

/// The form of the index of a dimension of an input.
enum class Form : uint8_t { plain, shifted, reversed, summed, scaled, halved, wrapped, computed };

struct Dimension {
  Form form = Form::plain;
  BoundedAxis axis, other;       ///< `other` is for Form::summed
  Term index = {}, extent = {};  ///< of Form::computed
};

struct DrawnOperand {
  TensorPtr tensor;
  std::string name;
  double bound = 0;
  std::vector<Dimension> dimensions;
};

/// The computation of the first definition.
enum class Theme : uint8_t {
  anything,     ///< of any axes
  product,      ///< sum(k, A(i, k) * B(k, j)): of matrices, or of a matrix and a vector
  stencil,      ///< A(i, j + 1) + A(i + 2, j) - ...
  convolution,  ///< sum({k, m}, A(i + k, j + m) * B(k, m))
  transpose,    ///< A(j, i), maybe with more
  row,          ///< of one long axis
  scalar,       ///< S() = sum({a, b, c}, ...)
  tensors,      ///< sum(k, cast(f32, A(i, k)) * cast(f32, B(k, j))), of f16, bf16 or i8
};

/// A param that is the pitch of a tensor.
struct Pitch {
  std::string name;
  Expr row;  ///< the elements that rows have
};

/// Draws one program: axes, then definitions over them, with what they need declared on the way.
class Generator {
 public:
  Generator(Random& random, llvm::StringRef name) : random_(random), name_(name.str()) {}

  RandomProgram generate();

 private:
  // Sizes and axes: program_axes.cpp.
  Term random_extent(int64_t largest);
  Term declare_param(int64_t largest);
  BoundedAxis declare_axis(bool reduced, const Term& extent);
  Term odd_extent(int64_t largest);
  Term long_extent();
  Term tile_extent();
  void first_axes();
  void declare_axes(size_t spatial, size_t reduced, int64_t largest);
  DrawnOperand next_axes(DrawnOperand before);
  void recall(DrawnOperand earlier);
  std::vector<BoundedAxis> all_axes() const;
  std::vector<Sizes> random_sizes();
  std::string name_for(const std::string& plain);

  // Operands: program_operands.cpp.
  DrawnOperand declare_input(std::vector<Dimension> dimensions);
  DrawnOperand declare_input(std::vector<Dimension> dimensions, DType type);
  DrawnOperand declare_any_input(const std::vector<BoundedAxis>& axes);
  DrawnOperand declare_tensor(const std::string& name, DType type,
                              std::vector<Dimension> dimensions, const Term& more);
  Dimension random_dimension(const BoundedAxis& axis, const std::vector<BoundedAxis>& axes);
  Term extent_of(const Dimension& dimension);
  /// The elements that a row may have beyond an axis: whole pieces of 16 bytes, for engines.
  int64_t halo() const { return random_.has(Extra::engines) ? 16 : 2; }
  Term index_of(const Dimension& dimension);
  Term read_as_it_is(const DrawnOperand& operand, int64_t before = 0);
  Term read_before(const DrawnOperand& operand);
  Term read(const DrawnOperand& operand);
  Term random_read(const DrawnOperand* before);
  Layout random_layout(const Term& row, size_t rank, std::string& text);
  std::string add_order(Layout& layout, size_t rank);
  std::string add_pitch(Layout& layout, const Term& row);

  // Indices: program_indices.cpp.
  Dimension gathered(const BoundedAxis& axis, const std::vector<BoundedAxis>& axes);
  Dimension computed(const BoundedAxis& axis, const BoundedAxis& other);
  Term place(const std::vector<BoundedAxis>& axes, const Term& extent);
  Term product_index(const BoundedAxis& axis, const BoundedAxis& other, const Term& modulus);
  Term product_condition();
  Term product_of_params();
  Dimension scattered();

  // Values: program_values.cpp.
  Term as_value(const Term& term);
  Term component_of(const Term& tuple);
  Term combine(const Term& lhs, const Term& rhs);
  Term mask(const Term& value);
  Term named(const Term& value);
  Term function_of(const Term& value);
  Term bits_of(const Term& value);
  Term number_of_index();
  Term clamp(const Term& value);
  Term random_value(const DrawnOperand* before);
  Term value_of_theme();
  Term product_value();
  Term tensor_value();
  Term stencil_value();
  Term convolution_value();
  Term transpose_value();
  Term scalar_value();

  // Definitions: random_program.cpp.
  DType random_type();
  Theme random_theme();
  void note_program();
  double iterations() const;
  DrawnOperand define(bool is_last, const DrawnOperand* before);
  DrawnOperand declare_result(const std::string& name, DType type, double bound);
  void define_elementwise(const DrawnOperand& result, const Term& value);
  void append_definition(const DrawnOperand& result, const Reduction& reduction,
                         const std::string&);
  void go_on(const DrawnOperand& result, const Reduction& reduction, const std::string& text);
  void define_again(const DrawnOperand& result);
  Element element_of(const DrawnOperand& result, std::string& text) const;
  void note(const char* feature) { features_.insert(feature); }
  void add_epilogue(Reduction& reduction, std::string& text, double& bound);

  Random& random_;
  std::string name_;
  DType type_ = f32;
  Theme theme_ = Theme::anything;
  std::string declarations_, texts_;
  std::vector<Term> params_;
  std::vector<Pitch> pitches_;
  size_t named_count_ = 0, spatial_count_ = 0, reduced_count_ = 0, temporary_count_ = 0;
  std::vector<BoundedAxis> spatial_, reduced_;
  std::vector<ReduceAxis> reduce_axes_;  ///< those of `reduced_`
  std::vector<DrawnOperand> inputs_;
  std::optional<DrawnOperand> earlier_;  ///< a temporary from before the last one, under these axes
  std::vector<Definition> definitions_;
  std::vector<Dimension> scattered_;       ///< dimensions of the result behind the spatial axes
  std::map<std::string, Expr> places_of_;  ///< RandomProgram::places
  std::set<std::string> features_, names_;
};

/// "a, b, c"
std::string join(llvm::ArrayRef<std::string> parts);

/// The names, then the same again with numbers behind them.
std::string nth_name(llvm::ArrayRef<const char*> names, size_t n);

}  // namespace hone
