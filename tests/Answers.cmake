# hone_answers: all answers to exercises that are C++, the right and the wrong ones, each in a
# namespace of its own in one source, and a table of them.
set(folder ${PROJECT_SOURCE_DIR}/examples/exercises)
file(GLOB answers CONFIGURE_DEPENDS RELATIVE ${folder}
     ${folder}/*_*/start.cpp ${folder}/*_*/solution.cpp ${folder}/*_*/wrong_*.cpp)
set(HONE_ANSWERS "")
set(HONE_ANSWER_ROWS "")
foreach(answer ${answers})
  string(MAKE_C_IDENTIFIER ${answer} name)
  string(APPEND HONE_ANSWERS
    "namespace answer${name} {\n#include \"examples/exercises/${answer}\"\n}\n")
  string(APPEND HONE_ANSWER_ROWS
    "      {\"examples/exercises/${answer}\", &answer${name}::solve},\n")
endforeach()
configure_file(exercises/answers.cpp.in answers/answers.cpp @ONLY)

# The header of answers, from the sources.
file(CONFIGURE OUTPUT answers/hone/exercises/answer.h
     CONTENT "#include \"examples/exercises/answer.h\"\n")
add_library(hone_answers STATIC ${CMAKE_CURRENT_BINARY_DIR}/answers/answers.cpp)
target_compile_options(hone_answers PRIVATE ${HONE_WARNINGS})
target_include_directories(hone_answers PRIVATE
  ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/answers)
target_link_libraries(hone_answers PUBLIC hone_exercises)
