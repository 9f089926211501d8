# Finds the dependencies. third_party/README.md lists minimum versions and licenses.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Vulkan 1.3.230 REQUIRED)
find_package(glfw3 3.3 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(glm REQUIRED)
find_program(GLSLC glslc REQUIRED)

pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET
  libavformat>=59.27 libavcodec>=59.37 libavutil>=57.28 libswscale>=6.7 libswresample>=4.7)
# The build uses only the headers. The program loads the libraries on first use.
pkg_check_modules(AVDEVICE REQUIRED IMPORTED_TARGET libavdevice>=59.7)
pkg_check_modules(AVFILTER REQUIRED IMPORTED_TARGET libavfilter>=8.44)
# Only headers: they declare the types of NVIDIA's driver and load the driver at run time.
pkg_check_modules(FFNVCODEC REQUIRED IMPORTED_TARGET ffnvcodec>=11.1)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebpdemux>=1.2 libwebp>=1.2)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate>=1.14)
pkg_check_modules(FREETYPE REQUIRED IMPORTED_TARGET freetype2)
pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)
pkg_check_modules(FRIBIDI REQUIRED IMPORTED_TARGET fribidi>=1.0)
# The build uses only the headers. The program loads the libraries on first use. sd-bus, a part of libsystemd, calls
# desktop services.
pkg_check_modules(PULSE REQUIRED IMPORTED_TARGET libpulse>=16)
pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd>=240)
foreach(loaded_library PULSE SYSTEMD)
  set_target_properties(PkgConfig::${loaded_library} PROPERTIES INTERFACE_LINK_LIBRARIES "" INTERFACE_LINK_OPTIONS "")
endforeach()
pkg_check_modules(XCB_SHM REQUIRED IMPORTED_TARGET xcb-shm>=1.14 xcb)
pkg_check_modules(X11 REQUIRED IMPORTED_TARGET x11>=1.7 xscrnsaver xrandr)
pkg_check_modules(WAYLAND REQUIRED IMPORTED_TARGET wayland-client>=1.20)
pkg_check_modules(VA REQUIRED IMPORTED_TARGET libva>=1.17)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus>=3.3)
pkg_check_modules(UNIBILIUM REQUIRED IMPORTED_TARGET unibilium>=2.1)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.37)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc>=2.6)
pkg_check_modules(UCHARDET REQUIRED IMPORTED_TARGET uchardet>=0.0.7)
