# glyphreel_link_first(TARGET): makes a program start faster by linking certain libraries first.
#
# The dynamic linker searches the libraries for each symbol one by one: first the program's own dependencies, then their
# dependencies. When the program starts, tens of thousands of symbols are looked up in more than 100 libraries. The linker
# tries many libraries for each symbol. A quarter of these attempts are for symbols that libcrypto defines, because the
# linker searches libcrypto late. This function therefore links the program first with libcrypto and with the other
# libraries that define most of the symbols. It skips libraries that FFmpeg does not depend on.
# docs/measurements.md has the figures.
function(glyphreel_link_first target)
  # The sanitizers' runtime libraries must come first.
  if(CMAKE_CROSSCOMPILING OR GLYPHREEL_SANITIZE)
    return()
  endif()
  list(FILTER FFMPEG_LINK_LIBRARIES INCLUDE REGEX libavformat)
  execute_process(COMMAND ldd ${FFMPEG_LINK_LIBRARIES} OUTPUT_VARIABLE dependencies ERROR_QUIET)
  set(first)
  foreach(name libcrypto libc libstdc\\+\\+ libglib-2.0 libgio-2.0)
    if(dependencies MATCHES "\t${name}\\.so[.0-9]* => ([^ \n]+)")
      list(APPEND first ${CMAKE_MATCH_1})
    endif()
  endforeach()
  target_link_options(${target} PRIVATE LINKER:--push-state,--no-as-needed ${first} LINKER:--pop-state)
endfunction()
