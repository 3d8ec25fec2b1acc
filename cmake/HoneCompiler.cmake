# The language, the flags of every target, and how executables are linked.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_COMPILE_WARNING_AS_ERROR ON)

# What g++ guesses after inlining the standard library is wrong in a different place in each
# version; the sanitize preset finds what these are after.
set(HONE_WARNINGS -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND HONE_WARNINGS
    -Wno-array-bounds -Wno-dangling-reference -Wno-free-nonheap-object -Wno-maybe-uninitialized
    -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# Sources are compiled many at a time, and small functions are inlined in such a unit as in any other:
# that gives a tenth of the time of lowering.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(--param=large-unit-insns=1000000)
endif()

# Locations in messages are relative to the repository, wherever it lies. The library's own files are
# known by their names, and are no places that a user is told (ir/core/location.h).
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
foreach(folder ir dsl codegen runtime tools)
  add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/${folder}/=<hone>/${folder}/)
endforeach()

# With asserts, the standard library checks its bounds too. Such a build is for work on Hone: -O1
# takes a fifth less of the time than -O2, and what it builds is hardly slower.
if(HONE_ASSERTS)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
else()
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
  # What only an assert reads.
  list(APPEND HONE_WARNINGS -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-function)
endif()

# A shared library that nothing calls is not asked for when the program starts.
add_link_options(-Wl,--as-needed)

if(HONE_SANITIZE)
  add_compile_options(-fsanitize=${HONE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HONE_SANITIZE})
endif()

find_program(HONE_CCACHE ccache)
if(HONE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HONE_CCACHE})
endif()
