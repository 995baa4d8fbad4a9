# Language level, warnings and sanitizers. Everything that our own targets need, and nothing that a
# user of the library inherits, is collected in the interface target cauchy_options.
find_program(CAUCHY_CCACHE ccache)
if(CAUCHY_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/tools/compile_cached ${CAUCHY_CCACHE})
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(cauchy_options INTERFACE)
target_compile_options(cauchy_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow
  # Clang counts sign changes as conversions, GCC does not.
  $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-sign-conversion>
  # Lets ccache see what a precompiled header was made from.
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  # GCC 12 sees overlapping and endless copies in std::string concatenation where there are none.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>
  # Contraction to fused multiply-add would make results depend on the instruction set.
  -ffp-contract=off
  $<$<BOOL:${CAUCHY_WERROR}>:-Werror>)
if(CAUCHY_SANITIZE)
  target_compile_options(cauchy_options INTERFACE
    -fsanitize=${CAUCHY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Null pointers end the program anyway, and what lies outside of an object the address sanitizer finds;
  # these take more than a third of the compile time.
  target_compile_options(cauchy_options INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-fno-sanitize=null,alignment,vptr,object-size,pointer-overflow>)
  target_link_options(cauchy_options INTERFACE -fsanitize=${CAUCHY_SANITIZE})
endif()

# Tests and examples are many programs with the whole library in each: gold links one in a third of the time.
find_program(CAUCHY_GOLD ld.gold)
if(CAUCHY_GOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CAUCHY_SANITIZE)
  target_link_options(cauchy_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=gold>)
endif()
