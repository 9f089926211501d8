#include "mapping/kernels/kernels.h"

#include <cstdlib>
#include <string_view>
#include <vector>

namespace glyphreel::mapping {

namespace baseline {
extern const Kernels kernels;
}
#if defined(GLYPHREEL_X86)
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}
#endif

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> available = [] {
    std::vector<const Kernels*> found{&baseline::kernels};
#if defined(GLYPHREEL_X86)
    if (__builtin_cpu_supports("avx2")) found.push_back(&avx2::kernels);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vnni")) {
      found.push_back(&avx512::kernels);
    }
#endif
    return found;
  }();
  return available;
}

const Kernels& best_kernels() {
  const std::span<const Kernels* const> available = available_kernels();
  const char* wanted = std::getenv("GLYPHREEL_ISA");
  if (wanted != nullptr) {
    const std::string_view name(wanted);
    if (name == "baseline") return *available[0];
    if (name == "avx2" && available.size() > 1) return *available[1];
  }
  return *available.back();
}

}  // namespace glyphreel::mapping
