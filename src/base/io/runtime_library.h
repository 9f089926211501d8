#pragma once

#include <dlfcn.h>

namespace glyphreel {

/// A shared library that is loaded on first use and stays loaded until the program ends. A linked library
/// would delay every start of the program, and the program could not start without it.
/// Thread-safety: any thread.
class RuntimeLibrary {
 public:
  /// Loads the library with this file name, for example "libpulse.so.0". If it is missing, find() fails.
  explicit RuntimeLibrary(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  /// Sets `function` to the library's function named `symbol`. If there is none, sets null and returns false.
  template <typename Function>
  [[nodiscard]] bool find(Function& function, const char* symbol) const {
    function = handle_ == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(handle_, symbol));
    return function != nullptr;
  }

 private:
  void* handle_;
};

}  // namespace glyphreel
