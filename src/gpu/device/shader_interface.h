#pragma once

#include <cstdint>

#define CONSTANT(type, name, value) inline constexpr type name = value;

namespace glyphreel::gpu::shared {

using uint = std::uint32_t;

#include "../../../shaders/bindings.glsl"

}  // namespace glyphreel::gpu::shared

#undef CONSTANT
