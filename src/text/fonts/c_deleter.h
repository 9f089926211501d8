#pragma once

namespace glyphreel::text {

/// Deleter for a std::unique_ptr to an object of a C library. `Destroy` is the function that frees the
/// object.
template <auto Destroy>
struct CDeleter {
  template <typename T>
  void operator()(T* object) const {
    Destroy(object);
  }
};

}  // namespace glyphreel::text
