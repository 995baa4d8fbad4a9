# What a shared library shows: namespace cauchy, but neither cauchy::detail nor the kernels, which
# Highway puts into cauchy::N_AVX2 and the like, nor the libraries inside. A version script of mangled
# names does it without a word in the sources.
#
# cauchy_exports(TARGET): for a shared library; nothing for others.
function(cauchy_exports target)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY" OR APPLE OR NOT UNIX)
    return()
  endif()
  # After "6cauchy" stand an operator, or the length and the letters of a name. Wildcards cannot say
  # "not 6detail", so the names that leave it at each letter are listed; and likewise "not N_".
  set(members "[!0-9]*" "[1-57-9][!0-9N]*" "[1-9][0-9][!N]*" "[1-9]N[!_]*" "[1-9][0-9]N[!_]*"
              "6[!0-9Nd]*" "6d[!e]*" "6de[!t]*" "6det[!a]*" "6deta[!i]*" "6detai[!l]*")
  # Functions and data, const members, members for lvalues and rvalues, guards of data, tables of
  # virtual functions, entry points of second bases, type information and its names.
  set(kinds N NK NR NO NKR NKO GVN TVN TTN Thn*_N TIN TSN)
  set(text "{\n  global:\n")
  foreach(kind IN LISTS kinds)
    foreach(member IN LISTS members)
      string(APPEND text "    _Z${kind}6cauchy${member};\n")
    endforeach()
  endforeach()
  string(APPEND text "  local:\n    *;\n};\n")
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  file(CONFIGURE OUTPUT ${script} CONTENT "${text}" @ONLY)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
