# `cmake --build BUILD --target bundle` makes glyphreel-VERSION-linux-x86_64.tar.xz in the build folder. The unpacked
# bundle runs from any folder on any x86-64 Linux whose glibc is no older than that of the build machine. Releases are
# built on Debian 12, which has glibc 2.36. packaging/start.c describes how the bundle starts, and
# packaging/make_bundle.py describes what the bundle contains.
set(bundle_name glyphreel-${PROJECT_VERSION}-linux-x86_64)
set(bundle_folder ${CMAKE_BINARY_DIR}/bundle)

add_executable(glyphreel_start EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/packaging/start.c)
target_link_libraries(glyphreel_start PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(glyphreel_start PROPERTIES C_STANDARD 11)

# The program as a library. It finds its assets next to itself, so no path of the build machine is compiled in.
add_library(glyphreel_program MODULE EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/src/main.cpp
                                                      ${CMAKE_SOURCE_DIR}/src/cli/assets.cpp)
target_link_libraries(glyphreel_program PRIVATE glyphreel_compiler_settings glyphreel::cli glyphreel::commands)
target_compile_definitions(glyphreel_program PRIVATE
  GLYPHREEL_DATADIR="/usr/local/share/glyphreel" GLYPHREEL_SOURCE_ASSETS="/usr/share/glyphreel")
# -Bsymbolic: the library uses its own main(), not the launcher's.
target_link_options(glyphreel_program PRIVATE -Wl,-Bsymbolic -Wl,-z,defs)
set_target_properties(glyphreel_program PROPERTIES PREFIX "" OUTPUT_NAME glyphreel
                                                   LIBRARY_OUTPUT_DIRECTORY ${bundle_folder}/modules)

# Libraries that src/media, src/present and GLFW load by name. Drivers come from the system.
string(REGEX MATCH "^[0-9]+" avdevice_major ${AVDEVICE_VERSION})
string(REGEX MATCH "^[0-9]+" avfilter_major ${AVFILTER_VERSION})
set(bundle_loaded libavdevice.so.${avdevice_major} libavfilter.so.${avfilter_major} libpulse.so.0
                  libsystemd.so.0 libX11.so.6 libX11-xcb.so.1 libXi.so.6 libXrandr.so.2 libXinerama.so.1 libXcursor.so.1
                  libXxf86vm.so.1 libXrender.so.1)
list(TRANSFORM bundle_loaded PREPEND --loads= OUTPUT_VARIABLE bundle_loads)

set(bundle_made ${bundle_folder}/${bundle_name}.made)
add_custom_command(
  OUTPUT ${bundle_made}
  COMMAND ${CMAKE_SOURCE_DIR}/packaging/make_bundle.py ${bundle_folder}/${bundle_name}
          --start $<TARGET_FILE:glyphreel_start> --pages ${CMAKE_BINARY_DIR}/share --module $<TARGET_FILE:glyphreel_program>
          ${bundle_loads}
  COMMAND ${CMAKE_COMMAND} -E touch ${bundle_made}
  DEPENDS glyphreel_start glyphreel_program pages ${CMAKE_SOURCE_DIR}/packaging/make_bundle.py
          ${CMAKE_SOURCE_DIR}/packaging/system_first ${CMAKE_SOURCE_DIR}/packaging/left_out
          ${CMAKE_SOURCE_DIR}/assets/demo.mp4 ${CMAKE_SOURCE_DIR}/README.md
  COMMENT "${bundle_name}"
  VERBATIM)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/${bundle_name}.tar.xz
  COMMAND ${CMAKE_SOURCE_DIR}/packaging/pack ${bundle_folder} ${bundle_name} ${CMAKE_BINARY_DIR}/${bundle_name}.tar.xz 60
  DEPENDS ${bundle_made} ${CMAKE_SOURCE_DIR}/packaging/pack
  COMMENT "${bundle_name}.tar.xz"
  VERBATIM)
add_custom_target(bundle DEPENDS ${CMAKE_BINARY_DIR}/${bundle_name}.tar.xz)

# `cmake --build BUILD --target gpu_suite` makes glyphreel-VERSION-gpu-suite.tar.xz in the build folder. This archive
# contains the bundle and what tests/gpu/run_on_gpu.sh needs on a machine that has only a GPU driver and python3.
if(GLYPHREEL_TESTS)
  set(suite_name glyphreel-${PROJECT_VERSION}-gpu-suite)
  set(suite_archive ${CMAKE_BINARY_DIR}/${suite_name}.tar.xz)
  set(suite_programs gpu_tests gpu_parity_tests vulkan_video_tests dma_buf_tests cuda_tests gpu_timing pipeline_timing)
  list(TRANSFORM suite_programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE suite_files)
  file(GLOB suite_scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/gpu/*.py ${CMAKE_SOURCE_DIR}/tests/gpu/*.sh
                                            ${CMAKE_SOURCE_DIR}/tests/parity/*.py)
  add_custom_command(
    OUTPUT ${suite_archive}
    COMMAND ${CMAKE_SOURCE_DIR}/packaging/make_gpu_suite ${bundle_folder}/${suite_name} ${bundle_folder}/${bundle_name}
            ${suite_files}
    COMMAND ${CMAKE_SOURCE_DIR}/packaging/pack ${bundle_folder} ${suite_name} ${suite_archive} 64
    DEPENDS ${bundle_made} ${suite_programs} ${suite_scripts} ${CMAKE_SOURCE_DIR}/packaging/make_gpu_suite
            ${CMAKE_SOURCE_DIR}/packaging/pack
    COMMENT "${suite_name}.tar.xz"
    VERBATIM)
  add_custom_target(gpu_suite DEPENDS ${suite_archive})
endif()
