# cauchy_bundle(TARGET FOLDER SOURCE...): many small programs as one executable FOLDER/TARGET with links
# FOLDER/<stem> to it; the name that it is called by chooses the program. They are compiled in two units,
# each in a namespace of its own, so that headers are read and the library is linked once for all of them.
function(cauchy_bundle target folder)
  set(includes "")
  set(names "")
  foreach(source IN LISTS ARGN)
    get_filename_component(name ${source} NAME_WE)
    list(APPEND names ${name})
    file(STRINGS ${source} lines REGEX "^#include <")
    list(APPEND includes ${lines})
    # An include that comes or goes changes the head of the units.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  endforeach()
  list(REMOVE_DUPLICATES includes)
  list(SORT includes)
  list(JOIN includes "\n" head)
  set(declarations "")
  set(entries "")
  set(unit_0 "${head}\n#define main example_main\n")
  set(unit_1 "${unit_0}")
  set(part 0)
  foreach(source name IN ZIP_LISTS ARGN names)
    file(STRINGS ${source} arguments REGEX "^int main\\(int" LIMIT_COUNT 1)
    if(arguments)
      set(parameters "int, char**")
      set(call "example_main(argc, argv)")
    else()
      set(parameters "")
      set(call "example_main()")
    endif()
    string(APPEND unit_${part} "namespace program_${name} {\n#include \"${source}\"\n}\n")
    string(APPEND declarations "namespace program_${name} {\nint example_main(${parameters});\n}\n")
    string(APPEND entries "  if (name == \"${name}\") return program_${name}::${call};\n")
    math(EXPR part "1 - ${part}")
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${target} ${folder}/${name} SYMBOLIC)
  endforeach()
  set(chooser "#include <cstdio>\n#include <string_view>\n\n${declarations}\nint main(int argc, char** argv) {
  (void)argc;
  std::string_view name = argv[0];
  name.remove_prefix(name.rfind('/') + 1);
${entries}  std::fputs(\"call it by the name of one of its programs\\n\", stderr);
  return 2;
}\n")
  foreach(part unit_0 unit_1 chooser)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}_${part}.cpp CONTENT "${${part}}" @ONLY)
  endforeach()
  add_executable(${target} ${CMAKE_CURRENT_BINARY_DIR}/${target}_unit_0.cpp
                           ${CMAKE_CURRENT_BINARY_DIR}/${target}_unit_1.cpp
                           ${CMAKE_CURRENT_BINARY_DIR}/${target}_chooser.cpp)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${folder})
endfunction()

# cauchy_library_first(TARGET): of templates and inline functions that both have, the linker takes the
# library's, which are optimised, not those of a program that is compiled to be compiled fast.
function(cauchy_library_first target)
  get_target_property(real cauchy_internal ALIASED_TARGET)
  if(NOT real)
    set(real cauchy_internal)
  endif()
  get_target_property(type ${real} TYPE)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND type STREQUAL "STATIC_LIBRARY")
    target_link_options(${target} PRIVATE
      "LINKER:--whole-archive" $<TARGET_FILE:${real}> "LINKER:--no-whole-archive")
  endif()
endfunction()
