# hone::llvm: LLVM's ADT and Support, static, any version from 14 to 17 (the lowest one found, or
# the one in LLVM_DIR). Its headers are system headers: their warnings are not ours.

# LLVM's package file looks up the libraries that LLVMSupport itself links.
set(ZLIB_USE_STATIC_LIBS ON)
if(HONE_PYTHON_MODULE)  # a shared library, for which Debian's archive is not made
  find_library(Terminfo_LIBRARIES NAMES tinfo)
else()
  find_library(Terminfo_LIBRARIES NAMES libtinfo.a tinfo)
endif()

if(LLVM_DIR)
  find_package(LLVM CONFIG QUIET)
else()
  foreach(version RANGE 14 17)
    find_package(LLVM CONFIG QUIET PATHS /usr/lib/llvm-${version} NO_DEFAULT_PATH)
    if(LLVM_FOUND)
      break()
    endif()
  endforeach()
endif()

if(NOT LLVM_FOUND OR LLVM_VERSION_MAJOR LESS 14 OR LLVM_VERSION_MAJOR GREATER 17)
  message(FATAL_ERROR "LLVM 14 to 17 is needed, found '${LLVM_PACKAGE_VERSION}'; "
                      "scripts/setup installs it, -DLLVM_DIR=.../lib/cmake/llvm names another")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

add_library(hone_llvm INTERFACE)
add_library(hone::llvm ALIAS hone_llvm)
target_include_directories(hone_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(hone_llvm INTERFACE LLVMSupport)
