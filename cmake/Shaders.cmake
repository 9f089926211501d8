# glyphreel_embed_shaders(TARGET SHADERS "file.comp[:VARIANT[:DEFINE...]]" ...)
# Compiles each shader with glslc to SPIR-V for Vulkan 1.3 and embeds it as a C array of 32-bit words.
# The header shaders/embedded.h, on the target's include path, declares the array as `glyphreel::shaders::<name>`, where
# <name> is file_comp, or file_comp_VARIANT. Each DEFINE is defined while this variant is compiled.
set(GLYPHREEL_SHADER_DIR ${CMAKE_SOURCE_DIR}/shaders)

function(glyphreel_embed_shaders target)
  cmake_parse_arguments(ARG "" "" "SHADERS" ${ARGN})
  set(out_dir ${CMAKE_CURRENT_BINARY_DIR}/embedded/shaders)
  file(MAKE_DIRECTORY ${out_dir})
  file(GLOB shared CONFIGURE_DEPENDS ${GLYPHREEL_SHADER_DIR}/*.glsl ${GLYPHREEL_SHADER_DIR}/shared/*)
  set(header "#pragma once\n#include <array>\n#include <cstdint>\n\nnamespace glyphreel::shaders {\n")
  set(generated "")
  foreach(entry IN LISTS ARG_SHADERS)
    string(REPLACE ":" ";" parts "${entry}")
    list(POP_FRONT parts file)
    set(variant "")
    if(parts)
      list(POP_FRONT parts variant)
    endif()
    set(defines "")
    foreach(define IN LISTS parts)
      list(APPEND defines -D${define})
    endforeach()
    string(REPLACE "." "_" name "${file}")
    if(variant)
      string(APPEND name "_${variant}")
    endif()
    set(inc ${out_dir}/${name}.inc)
    add_custom_command(
      OUTPUT ${inc}
      COMMAND ${GLSLC} --target-env=vulkan1.3 -O -Werror -mfmt=num ${defines} -I ${GLYPHREEL_SHADER_DIR}
              -o ${inc} ${GLYPHREEL_SHADER_DIR}/${file}
      DEPENDS ${GLYPHREEL_SHADER_DIR}/${file} ${shared}
      COMMENT "glslc ${name}"
      VERBATIM)
    list(APPEND generated ${inc})
    string(APPEND header "inline constexpr std::uint32_t ${name}[] = {\n#include \"${name}.inc\"\n};\n")
  endforeach()
  string(APPEND header "}  // namespace glyphreel::shaders\n")
  file(CONFIGURE OUTPUT ${out_dir}/embedded.h CONTENT "${header}" @ONLY)
  add_custom_target(${target}_shaders DEPENDS ${generated})
  add_dependencies(${target} ${target}_shaders)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
