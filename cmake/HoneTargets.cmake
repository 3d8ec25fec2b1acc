# Compiles what follows in a folder in less time: for code that no run spends time in.
macro(hone_compile_quickly)
  string(REGEX REPLACE "-O[12]" "-Og" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endmacro()

# The three kinds of target: a library, an executable, a folder of tests. Sources are named by
# patterns that are looked up again at every build, so a new file needs no edit here.

# HONE_PRECOMPILED names the library that reads the headers that most sources include, for all that are
# compiled with its options. scripts/lint reads every source without them, so it finds an include
# that is missing.
set(HONE_PRECOMPILED hone_ir)
function(hone_precompile name)
  if(NOT HONE_PRECOMPILE)
    return()
  endif()
  if(name STREQUAL HONE_PRECOMPILED)
    target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <functional> <map> <memory> <mutex> <optional> <string> <vector>
      <fmt/format.h> <fmt/ranges.h> <llvm/ADT/DenseMap.h> <llvm/ADT/StringMap.h>
      ${PROJECT_SOURCE_DIR}/ir/text/printer.h ${PROJECT_SOURCE_DIR}/ir/traverse/visit.h
      ${PROJECT_SOURCE_DIR}/ir/algebra/facts.h ${PROJECT_SOURCE_DIR}/ir/text/operators.h)
  elseif(TARGET "${HONE_PRECOMPILED}")
    target_precompile_headers(${name} REUSE_FROM ${HONE_PRECOMPILED})
  endif()
endfunction()

# Sources of one folder are compiled several at a time: most of the time of a source is its headers,
# and what it needs of their templates. So names in unnamed namespaces are unique within a folder.
# scripts/lint reads each source alone.
set(HONE_SOURCES_AT_A_TIME 8)
function(hone_unite name)
  if(NOT HONE_UNITY)
    return()
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR group "0${count_${folder}} / ${HONE_SOURCES_AT_A_TIME}")
    math(EXPR count_${folder} "0${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()

# hone_library(<name> [UNITED] SOURCES <pattern>... [PUBLIC <library>...] [PRIVATE <library>...])
#
# A static library, also known as hone::<name without hone_>. It is an interface library as long as
# no source matches. With UNITED, its sources are compiled several at a time.
function(hone_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITED" "" "SOURCES;PUBLIC;PRIVATE")
  file(GLOB sources CONFIGURE_DEPENDS ${arg_SOURCES})
  if(sources)
    add_library(${name} STATIC ${sources})
    target_compile_options(${name} PRIVATE ${HONE_WARNINGS})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    hone_precompile(${name})
    if(arg_UNITED)
      hone_unite(${name} ${sources})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_PUBLIC})
  endif()
  string(REGEX REPLACE "^hone_" "hone::" alias ${name})
  add_library(${alias} ALIAS ${name})
endfunction()

# hone_executable(<name> [UNITED] SOURCES <pattern>... LIBRARIES <library>... [SHARED_RUNTIME])
#
# A program that runs on machines that lack our libraries: libstdc++ is linked into it, unless one
# of its libraries brings the shared one. Nothing is added as long as no source matches; then TARGET
# <name> is false.
function(hone_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNITED;SHARED_RUNTIME" "" "SOURCES;LIBRARIES")
  file(GLOB sources CONFIGURE_DEPENDS ${arg_SOURCES})
  if(sources)
    add_executable(${name} ${sources})
    target_compile_options(${name} PRIVATE ${HONE_WARNINGS})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
    # As the libraries are, whose precompiled headers it reads.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
    hone_precompile(${name})
    if(arg_UNITED)
      hone_unite(${name} ${sources})
    endif()
    if(HONE_STATIC_RUNTIME AND NOT arg_SHARED_RUNTIME)
      target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
    endif()
  endif()
endfunction()

# hone_test(<folder> LIBRARIES <library>... [RUNS <target>...])
#
# tests/<folder>/**/*_test.cpp become one GoogleTest binary, test_<folder>, whose suites ctest runs
# one by one from the root of the repository. Each source has a namespace of its own, by its name, so
# that sources can be compiled together. RUNS are programs that the tests run, and what these load.
function(hone_test folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;RUNS")
  set(name test_${folder})
  hone_executable(${name}
    UNITED SOURCES ${folder}/*_test.cpp ${folder}/*/*_test.cpp
    LIBRARIES ${arg_LIBRARIES} GTest::gmock_main)
  if(TARGET ${name})
    hone_discover_tests(${folder} ${arg_RUNS})
    if(arg_RUNS)
      add_dependencies(${name} ${arg_RUNS})
    endif()
  endif()
endfunction()

# hone_entries(<name> <text>): ctest reads <text> when it starts, as CMake code that knows ROOT, BUILD
# and TOOLS.
function(hone_entries name text)
  set(entries ${CMAKE_CURRENT_BINARY_DIR}/entries_of_${name}.cmake)
  file(GENERATE OUTPUT ${entries} CONTENT
"set(ROOT [[${PROJECT_SOURCE_DIR}]])
set(BUILD [[${PROJECT_BINARY_DIR}]])
set(TOOLS [[${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} CUDA ${CUDAToolkit_VERSION}]])
${text}")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${entries})
endfunction()

# What the binary holds is looked up when ctest starts.
function(hone_discover_tests folder)
  set(runs "")
  foreach(target ${ARGN})
    list(APPEND runs "[[$<TARGET_FILE:${target}>]]")
  endforeach()
  list(JOIN runs " " runs)
  hone_entries(${folder}
"set(PROGRAM [[$<TARGET_FILE:test_${folder}>]])
set(RUNS ${runs})
set(LABEL ${folder})
set(ENVIRONMENT [[HONE_PYTHON=${HONE_PYTHON};HONE_VERIFY=1]])
include([[${PROJECT_SOURCE_DIR}/cmake/TestEntries.cmake]])
")
endfunction()

# hone_test_of_pages(<label> PAGES <pattern>... LIBRARIES <library>...)
#
# The C++ blocks of pages, in test_<label>: a source for each page that has any. Statements of a
# page need not use all that they name.
function(hone_test_of_pages label)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PAGES;LIBRARIES")
  list(TRANSFORM arg_PAGES PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${arg_PAGES})
  set(sources "")
  foreach(page ${pages})
    string(MAKE_C_IDENTIFIER ${page} name)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/pages/${name}.cpp)
    add_custom_command(OUTPUT ${source}
      COMMAND ${HONE_PYTHON} scripts/docs-code tests ${page} ${source}
      DEPENDS ${PROJECT_SOURCE_DIR}/${page} ${PROJECT_SOURCE_DIR}/scripts/docs-code
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMENT "Reading the C++ of ${page}"
      VERBATIM)
    list(APPEND sources ${source})
  endforeach()
  add_executable(test_${label} ${sources})
  target_compile_options(test_${label} PRIVATE ${HONE_WARNINGS}
    -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-function)
  target_include_directories(test_${label} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(test_${label} PRIVATE ${arg_LIBRARIES} GTest::gmock_main)
  target_precompile_headers(test_${label} PRIVATE
    <gtest/gtest.h> ${PROJECT_SOURCE_DIR}/tests/support/docs/example.h)
  hone_discover_tests(${label})
endfunction()
