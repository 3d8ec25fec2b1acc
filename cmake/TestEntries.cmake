# Read by ctest, with PROGRAM, RUNS, LABEL, ROOT, BUILD, TOOLS and ENVIRONMENT: an entry for each suite of
# a GoogleTest binary, and one for each parameter of the instances that are called Ladders: a rung or
# a ladder with all that is said of it.
include(${CMAKE_CURRENT_LIST_DIR}/RememberedTests.cmake)

execute_process(COMMAND ${PROGRAM} --gtest_list_tests
                OUTPUT_VARIABLE listed RESULT_VARIABLE status WORKING_DIRECTORY ${ROOT})
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${status}")
endif()

# Parameters print as anything: of a line, the words before the comment count.
string(REGEX REPLACE "[ ]*#[^\n]*" "" listed "${listed}")
string(REPLACE "\n" ";" listed "${listed}")
set(filters "")
foreach(line ${listed})
  if(line MATCHES "^([^ ]+)[.]$")
    set(suite ${CMAKE_MATCH_1})
    if(NOT suite MATCHES "^Ladders/" AND NOT suite MATCHES "^DISABLED_")
      list(APPEND filters "${suite}.*")
    endif()
  elseif(suite MATCHES "^Ladders/" AND line MATCHES "^  .*/([^/]+)$")
    list(APPEND filters "Ladders/*/${CMAKE_MATCH_1}")
  endif()
endforeach()
list(REMOVE_DUPLICATES filters)

key_of(key PROGRAMS ${PROGRAM} ${RUNS})
judge_of(judge)
foreach(filter ${filters})
  string(REGEX REPLACE "^Ladders/[*]/|[.][*]$" "" name "${filter}")
  entry("${LABEL}.${name}" KEY ${key} COMMAND ${PROGRAM} "--gtest_filter=${filter}"
    PROPERTIES LABELS ${LABEL} TIMEOUT 900 WORKING_DIRECTORY ${ROOT} ENVIRONMENT "${ENVIRONMENT};${judge}")
endforeach()
