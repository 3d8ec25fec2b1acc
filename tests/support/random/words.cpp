#include "tests/support/random/words.h"

namespace hone {
namespace {

constexpr const char* words[] = {
    // C and C++
    "if", "switch", "while", "sizeof", "int", "float", "double", "register", "auto", "restrict",
    "class", "new", "delete", "this", "template", "operator", "namespace", "and", "or", "xor",
    "not", "int64_t", "size_t", "bool", "NULL", "nullptr", "alignas", "inline", "void", "return",
    "static", "volatile", "typename", "union", "signed", "asm", "typeof",
    // libc and libm
    "remove", "rename", "read", "write", "kill", "link", "sleep", "clone", "errno", "stdin",
    "stdout", "main", "exit", "abort", "malloc", "free", "log", "floor", "round", "exp", "expf",
    "fmaxf", "fminf", "sqrt", "abs", "pow", "fma", "tanh", "erf", "min", "max", "INFINITY", "NAN",
    "index", "div", "y0", "j1", "gamma", "time", "signal", "environ", "memcpy", "memset", "printf",
    "isnan", "isinf", "tgamma", "assert", "INT_MAX", "EOF", "select", "wait", "pipe", "fork",
    "_exit", "strlen", "rand", "open", "close", "access", "send", "connect", "unix", "linux",
    // CUDA
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "__syncthreads", "__shared__",
    "__global__", "__launch_bounds__", "float4", "float2", "int2", "dim3", "half", "__half",
    "__half2float", "atomicAdd", "__shfl_down_sync", "__restrict__", "uint4", "__expf", "rsqrtf",
    "make_float4", "__int_as_float", "tex1D", "surface", "clock", "assume", "__device__",
    "_Float16",
    // Generated names
    "thread", "block", "warp", "lane", "kernel", "shared", "grid", "i_0", "i_1", "A_", "C_reg",
    "A_shared", "ld0", "block_x", "thread_x", "index_t", "combine", "argmax", "pair", "f32", "i32",
    "n", "s", "t", "x", "y", "first", "second", "reduce", "for_", "alloc", "copy", "func",
    "barrier", "let", "of", "launch", "run", "sizes", "args", "arguments", "parts", "arrivals"};

constexpr const char* suffixes[] = {"_", "_0", "_1", "_reg", "_shared", "_parts", "__", "_init"};

}  // namespace

std::string random_word(Random& random, const std::string& plain) {
  if (random.chance(15)) return plain + random.pick(suffixes);
  return random.pick(words);
}

}  // namespace hone
