#pragma once

namespace glyphreel::text {

/// Lets std::unique_ptr own an object of a C library: `Destroy` is the library's function that frees it.
template <auto Destroy>
struct CDeleter {
  template <typename T>
  void operator()(T* object) const {
    Destroy(object);
  }
};

}  // namespace glyphreel::text
