# Installs the built library to a temporary prefix, then builds and runs main.cpp against it with
# find_package(cauchy), as a user would.
set(work "${BUILD_DIR}/consumer")
file(REMOVE_RECURSE "${work}")
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGV}\n${out}")
  endif()
endfunction()
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${work}/prefix")
run(${CMAKE_COMMAND} -S "${CONSUMER_DIR}" -B "${work}/build" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${work}/prefix")
run(${CMAKE_COMMAND} --build "${work}/build")
run("${work}/build/consumer")
