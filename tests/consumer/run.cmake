# Installs the built library to a temporary prefix, then builds and runs main.cpp against it with
# find_package(cauchy), as a user would; and once more with the shared library SHARED_LIBRARY, where
# one is given, which must show the public names and no private ones.
set(work "${BUILD_DIR}/consumer")
file(REMOVE_RECURSE "${work}")
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGV}\n${out}")
  endif()
  message("${out}")
  set(output "${out}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${work}/prefix")
run(${CMAKE_COMMAND} -S "${CONSUMER_DIR}" -B "${work}/build" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${work}/prefix" "-DSHARED_LIBRARY=${SHARED_LIBRARY}")
run(${CMAKE_COMMAND} --build "${work}/build")
run("${work}/build/consumer" "${CONSUMER_DIR}/rod.toml")

# The problems are installed too and known by name, in any folder and in a prefix that was moved.
file(RENAME "${work}/prefix" "${work}/moved")
file(MAKE_DIRECTORY "${work}/elsewhere")
file(GLOB program LIST_DIRECTORIES false "${work}/moved/*/cauchy")
foreach(line "list problems" "check lorenz" "solve poisson_square --max-seconds 0.2 --quiet")
  separate_arguments(words UNIX_COMMAND "${line}")
  # An answer that was stopped early is exit code 1; 2 would be a problem that is not found.
  execute_process(COMMAND ${program} ${words} WORKING_DIRECTORY "${work}/elsewhere"
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code MATCHES "^[01]$")
    message(FATAL_ERROR "failed (${code}): ${program} ${line}\n${out}")
  endif()
  message("${out}")
endforeach()
if(NOT EXISTS "${work}/elsewhere/runs/poisson_square/result.json")
  message(FATAL_ERROR "the installed program has solved nothing")
endif()
if(SHARED_LIBRARY)
  run("${work}/build/consumer_shared" "${CONSUMER_DIR}/rod.toml")
  execute_process(COMMAND nm --dynamic --defined-only --demangle "${SHARED_LIBRARY}"
                  OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "[0-9a-f]+ [A-Za-z] [^\n(<]*cauchy::(detail|N_)[^\n]*" private "${names}")
  if(private)
    message(FATAL_ERROR "${SHARED_LIBRARY} shows a private name:\n${private}")
  endif()
  if(NOT names MATCHES " T cauchy::solve\\(")
    message(FATAL_ERROR "${SHARED_LIBRARY} does not show cauchy::solve")
  endif()
endif()
