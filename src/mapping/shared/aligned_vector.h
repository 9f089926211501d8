#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace glyphreel::mapping {

/// Allocates memory at a cache line boundary. The widest SIMD registers are as wide as a line: at any other
/// address, a load or store would access two lines.
template <typename T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t Line{64};

  LineAllocator() = default;
  template <typename Other>
  LineAllocator(const LineAllocator<Other>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), Line));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, Line); }
  bool operator==(const LineAllocator&) const { return true; }
};

template <typename T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace glyphreel::mapping
