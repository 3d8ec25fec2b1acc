// Runs operations on lanes of a warp: the instruction by its name, registers by their order.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "runtime/ptx/operations/operation.h"

namespace hone::ptx {

inline Operand register_operand(uint32_t number) {
  return {.kind = Operand::Kind::reg, .reg = number};
}

/// "add.cc.u32" with registers 0 (the destination), 1, 2...
inline Instruction instruction_of(llvm::StringRef name, size_t operands) {
  Instruction instruction;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  name.split(parts, '.');
  instruction.opcode = parts[0].str();
  for (const llvm::StringRef part : llvm::drop_begin(parts))
    instruction.modifiers.push_back(part.str());
  for (size_t n = 0; n < operands; ++n)
    instruction.operands.push_back(register_operand(static_cast<uint32_t>(n)));
  return instruction;
}

/// Registers of up to 16 bytes: the destination is number 0, and sources[n] is number n + 1.
class OperationLanes {
 public:
  static constexpr uint32_t stride = 16 * lanes;
  static constexpr int registers = 6;

  OperationLanes() : bytes_(registers * stride) {
    warp.bases = {bytes_.data(), nullptr};
    warp.active = all_lanes;
  }

  template <class T>
  T* values(int number) {
    return reinterpret_cast<T*>(bytes_.data() + number * stride);
  }
  LaneMask& mask(int number) { return *values<LaneMask>(number); }
  std::vector<std::byte>& bytes() { return bytes_; }

  /// With all registers in place, whether the operation uses them or not.
  static Op op_of(const Operation& operation) {
    Op op;
    op.execute = operation.execute;
    op.detail = operation.detail;
    op.destination = Ref::reg(0);
    for (int n = 0; n + 1 < registers; ++n) op.sources[n] = Ref::reg((n + 1) * stride);
    return op;
  }
  void run(const Operation& operation) {
    const Op op = op_of(operation);
    op.execute(warp, op);
  }

  Warp warp;

 private:
  std::vector<std::byte> bytes_;
};

inline Operation known_operation(llvm::StringRef name, size_t operands) {
  Operation operation = find_operation(instruction_of(name, operands));
  EXPECT_EQ(operation.problem, "");
  EXPECT_NE(operation.execute, nullptr) << name.str();
  return operation;
}

inline std::string problem_of(llvm::StringRef name, size_t operands) {
  return find_operation(instruction_of(name, operands)).problem;
}

// ---- Many values --------------------------------------------------------------------------------

/// The results of the instruction for rows of operands; all lanes at a time.
template <class Result, class... Args>
std::vector<Result> results_of(const Operation& operation,
                               const std::vector<std::tuple<Args...>>& rows) {
  std::vector<Result> results;
  OperationLanes registers;
  for (size_t first = 0; first < rows.size(); first += lanes) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      int number = 0;
      std::apply([&](Args... args) { ((registers.values<Args>(++number)[lane] = args), ...); },
                 rows[std::min(first + lane, rows.size() - 1)]);
    }
    registers.run(operation);
    const Result* values = registers.values<Result>(0);
    results.insert(results.end(), values, values + std::min<size_t>(lanes, rows.size() - first));
  }
  return results;
}

/// All tuples of a value of each list.
inline std::vector<std::tuple<>> rows_of() { return {{}}; }
template <class T, class... Others>
auto rows_of(const std::vector<T>& values, const Others&... others) {
  const auto rest = rows_of(others...);
  std::vector<decltype(std::tuple_cat(std::tuple<T>(), rest.front()))> rows;
  for (const T& value : values)
    for (const auto& row : rest) rows.push_back(std::tuple_cat(std::tuple<T>(value), row));
  return rows;
}

/// All NaNs of f64 are the same: PTX does not say which one an operation gives.
template <class T>
auto bits_of_value(T value) {
  if constexpr (std::is_same_v<T, double>)
    if (value != value) return ~uint64_t{0};
  if constexpr (sizeof(T) == 2)
    return std::bit_cast<uint16_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(value);
  else
    return std::bit_cast<uint64_t>(value);
}

/// Compares the bits of results with those that a function says, for all rows.
template <class Expected, class... Lists>
void expect_results(llvm::StringRef name, const Expected& expected, const Lists&... lists) {
  const auto rows = rows_of(lists...);
  using Result = decltype(std::apply(expected, rows.front()));
  const Operation operation = known_operation(name, sizeof...(lists) + 1);
  if (!operation.execute) return;
  const auto results = results_of<Result>(operation, rows);
  for (size_t n = 0; n < rows.size(); ++n) {
    const Result wanted = std::apply(expected, rows[n]);
    if (bits_of_value(results[n]) == bits_of_value(wanted)) continue;
    ADD_FAILURE() << name.str() << " of " << testing::PrintToString(rows[n]) << " is "
                  << testing::PrintToString(results[n]) << " and not "
                  << testing::PrintToString(wanted);
    return;
  }
}

// ---- Critical values ----------------------------------------------------------------------------

template <class T>
std::vector<T> critical_integers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           1,
                           2,
                           3,
                           7,
                           31,
                           100,
                           Limits::max(),
                           Limits::max() - 1,
                           Limits::min(),
                           Limits::min() + 1,
                           Limits::max() / 2,
                           static_cast<T>(-1),
                           static_cast<T>(-2),
                           static_cast<T>(0x5a5aa5a5deadbeef)};
  return values;
}

template <class T>
std::vector<T> critical_reals() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const T value : {T{0}, T{1}, T{1.5}, T{3}, T{0.1}, T{1} + Limits::epsilon(), Limits::min(),
                        Limits::min() * T{1.25}, Limits::min() / 2, Limits::denorm_min(),
                        Limits::max(), Limits::infinity(), Limits::epsilon(), Limits::epsilon() / 2,
                        T{1e-20}, T{3e18}, T{0x1p126} / 3})
    values.insert(values.end(), {value, -value});
  values.push_back(Limits::quiet_NaN());
  return values;
}

}  // namespace hone::ptx
