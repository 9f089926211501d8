# Language level, warnings and sanitizers, the same for every library.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  # The ccache manual requires this CCACHE_SLOPPINESS for precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# Makes __FILE__ a path relative to the source tree, so that programs contain no path of the build machine. The second
# option does the same for the relative paths that ccache passes to the compiler.
file(RELATIVE_PATH source_from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/= -fmacro-prefix-map=${source_from_build}/=)

add_library(glyphreel_compiler_settings INTERFACE)
target_compile_options(glyphreel_compiler_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wno-missing-field-initializers  # designated initializers may leave members at their defaults
  # GCC 12 has false positives for string concatenation (GCC bug 105651), std::optional and std::variant.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  # A unity build includes .cpp files in another file. GCC then warns about types in their anonymous namespaces.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  -Werror=switch  # a switch must handle every enumerator, so that a new mode is not forgotten
  $<$<BOOL:${GLYPHREEL_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
target_include_directories(glyphreel_compiler_settings INTERFACE ${CMAKE_SOURCE_DIR}/src)

if(GLYPHREEL_SANITIZE)
  # -g1 adds only line numbers, which the sanitizers print in stack traces.
  add_compile_options(-fsanitize=${GLYPHREEL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${GLYPHREEL_SANITIZE})
endif()
if(GLYPHREEL_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# glyphreel_library(NAME SOURCES a.cpp ... PUBLIC lib ... PRIVATE lib ...)
# Creates a static library from one folder of src. PUBLIC and PRIVATE must list exactly the libraries that it uses.
function(glyphreel_library name)
  cmake_parse_arguments(LIBRARY "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(glyphreel_${name} STATIC ${LIBRARY_SOURCES})
  add_library(glyphreel::${name} ALIAS glyphreel_${name})
  target_link_libraries(glyphreel_${name} PUBLIC ${LIBRARY_PUBLIC} PRIVATE glyphreel_compiler_settings ${LIBRARY_PRIVATE})
endfunction()
