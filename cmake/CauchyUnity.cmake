# Several sources of a layer compiled as one unit: headers and templates are read once for all of
# them, which takes a third off the time of a clean build. Names in anonymous namespaces must therefore
# differ between the files of a layer. Developers who change one file often turn it off.
option(CAUCHY_UNITY "Compile several sources of a layer as one unit" ON)

# cauchy_unity(TARGET NAME PER_UNIT SOURCE...): groups of at most PER_UNIT neighbours, named NAME_0, ...
# The files that CMake writes for them are listed in NAME_units.
# Left alone are files that Highway compiles several times, files with `main`, and files that
# instantiate members of a class, which clang refuses beside the instantiation of the class.
function(cauchy_unity target name per_unit)
  if(NOT CAUCHY_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(count 0)
  set(units "")
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} special LIMIT_COUNT 1 REGEX
         "foreach_target|HWY_|^int main\\(|^template [a-zA-Z_:]+ [A-Za-z]+<(float|double)>::")
    if(special)
      continue()
    endif()
    math(EXPR number "${count} / ${per_unit}")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${number})
    list(APPEND units
         ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${name}_${number}_cxx.cxx)
  endforeach()
  list(REMOVE_DUPLICATES units)
  set(${name}_units ${units} PARENT_SCOPE)
endfunction()
