// Instructions in a kernel's machine code, as NVIDIA's disassembler shows it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

/// The number of times that each instruction occurs in the code, in loops or not. Accesses to
/// memory are told apart by their width: "FFMA", "LDG", "LDG.128".
using InstructionCounts = std::map<std::string, int, std::less<>>;

/// Counts the instructions in the output of nvdisasm, without NOP, which fills the code up.
InstructionCounts count_instructions(std::string_view disassembly);

/// The instructions of a cubin; nothing where nvdisasm is neither on the PATH nor in the toolkit.
/// Throws RuntimeError where it fails.
std::optional<InstructionCounts> disassemble(const std::vector<char>& cubin);

}  // namespace hone
