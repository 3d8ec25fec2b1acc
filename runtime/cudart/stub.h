// Functions of libcudart that are not there, as far as no other source of the library defines them.
#pragma once

/// The headers of CUDA stay away: these are functions of other types there.
namespace hone::cudart {
int refuse_by_name(const char* function);
}

/// It says so, and returns cudaErrorNotSupported.
#define HONE_REFUSED(name)                     \
  extern "C" __attribute__((weak)) int name(); \
  int name() { return hone::cudart::refuse_by_name(#name); }

/// The function for threads with a default stream of their own: all streams are empty, so it is the
/// same.
#if defined(__x86_64__)
#define HONE_JUMP "jmp "
#else
#define HONE_JUMP "b "
#endif
#define HONE_OF_THREAD(name, own_name)                                             \
  __asm__(".text\n.weak " #own_name "\n.type " #own_name ", %function\n" #own_name \
          ":\n" HONE_JUMP #name "\n");
