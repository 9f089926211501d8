# Defines what `cmake --install` installs. The built program prints the manual page and the shell completions from its
# option table. So the build first builds the program and then runs it to generate these pages.
add_custom_target(pages ALL)

# glyphreel_page(KIND FOLDER NAME): writes the output of `glyphreel --generate KIND` to share/FOLDER/NAME in the
# build folder, and installs it.
function(glyphreel_page kind folder name)
  set(output ${CMAKE_BINARY_DIR}/share/${folder}/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/${folder})
  add_custom_command(
    OUTPUT ${output}
    COMMAND glyphreel --generate ${kind} > ${output}
    DEPENDS glyphreel
    COMMENT "glyphreel --generate ${kind}"
    VERBATIM)
  add_custom_target(page_${kind} DEPENDS ${output})
  add_dependencies(pages page_${kind})
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${folder})
endfunction()

glyphreel_page(man man/man1 glyphreel.1)
glyphreel_page(bash-completion bash-completion/completions glyphreel)
glyphreel_page(zsh-completion zsh/site-functions _glyphreel)
glyphreel_page(fish-completion fish/vendor_completions.d glyphreel.fish)

install(TARGETS glyphreel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_SOURCE_DIR}/assets/demo.mp4 DESTINATION ${CMAKE_INSTALL_DATADIR}/glyphreel)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The menu entry and the icon. The PNG is made from the SVG with rsvg-convert -w 256.
install(FILES ${CMAKE_SOURCE_DIR}/assets/desktop/glyphreel.desktop DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/applications)
install(FILES ${CMAKE_SOURCE_DIR}/assets/desktop/glyphreel.svg
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/icons/hicolor/scalable/apps)
install(FILES ${CMAKE_SOURCE_DIR}/assets/desktop/glyphreel.png
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/icons/hicolor/256x256/apps)
