# Read by ctest when it starts: what adds entries that are not run again as long as they have passed
# with the same inputs. HONE_TEST_AGAIN=1 runs all.
#
# A key is made of a program, of our files that it may read (its own C++ is in the program), of the
# variables in docs/guide/environment.md, of the machine's GPUs, and of TOOLS, the versions of the
# compilers.

# digest_of(<result> <file>...)
function(digest_of result)
  set(digests "")
  foreach(file ${ARGN})
    if(NOT IS_DIRECTORY ${file})
      file(SHA256 ${file} digest)
      string(APPEND digests "${file} ${digest}\n")
    endif()
  endforeach()
  string(SHA256 digest "${digests}")
  set(${result} ${digest} PARENT_SCOPE)
endfunction()

# key_of(<result> [CPP | HEADERS] PROGRAMS <file>...): with CPP, our C++ counts too, or its headers
# alone.
function(key_of result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CPP;HEADERS" "" "PROGRAMS")
  set(read "")
  foreach(folder .ci bench cmake codegen docs dsl examples ir runtime scripts tests tools)
    file(GLOB_RECURSE files ${ROOT}/${folder}/*)
    if(arg_HEADERS)
      list(FILTER files EXCLUDE REGEX "[.]cpp$")
    elseif(NOT arg_CPP AND NOT folder STREQUAL examples)
      list(FILTER files EXCLUDE REGEX "[.](cpp|h)$")
    endif()
    list(APPEND read ${files})
  endforeach()
  file(GLOB more ${ROOT}/*)
  digest_of(digest ${read} ${more} ${arg_PROGRAMS})
  execute_process(COMMAND sh -c "env | grep -E '^(HONE_|UPDATE_GOLDEN|CUDA_|CC=)' | grep -v _AGAIN | sort; ls /dev | grep nvidia"
                  OUTPUT_VARIABLE machine)
  string(SHA256 key "${digest} ${machine} ${TOOLS}")
  set(${result} ${key} PARENT_SCOPE)
endfunction()

# judge_of(<result>): HONE_JUDGE, a digest of what judges the kernels that passes have made.
function(judge_of result)
  set(sources "")
  foreach(folder codegen dsl examples ir runtime tests tools)
    file(GLOB_RECURSE files ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.h)
    list(FILTER files EXCLUDE REGEX "/codegen/pass/")
    list(APPEND sources ${files})
  endforeach()
  digest_of(digest ${sources})
  string(SHA256 digest "${digest} ${TOOLS}")
  set(${result} "" PARENT_SCOPE)
  if("$ENV{HONE_TEST_AGAIN}" STREQUAL "")
    set(${result} HONE_JUDGE=${digest} PARENT_SCOPE)
  endif()
endfunction()

# entry(<name> KEY <key> COMMAND <command>... PROPERTIES <property>...)
function(entry name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KEY" "COMMAND;PROPERTIES")
  string(REPLACE "/" "." file ${name})
  add_test(${name} ${ROOT}/scripts/unless-passed ${BUILD}/passed/${file} ${arg_KEY} ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES ${arg_PROPERTIES})
endfunction()
