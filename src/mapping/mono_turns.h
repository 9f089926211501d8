#pragma once

#include <cstdint>
#include <vector>

namespace glyphreel::mapping {

/// How cells of one tone take turns between two forms, so that their average is right where no form's light
/// is: 4096 words by relative light (light.glsl). A cell's light is moved by the word's upper half (signed)
/// and by its turn, -3, -1, 1 or 3 eighths, of its lower half. Made from the forms that a cell of even light
/// takes: their light differs from what was asked for, since forms are compared by the distribution of their
/// light too. `features`: of each form, the pooled light and the mean, compressed, or that twice, of the two
/// cells of a wide one. `means`: each form's relative light.
[[nodiscard]] std::vector<std::uint32_t> mono_turns(const std::vector<std::vector<int>>& features,
                                                    const std::vector<double>& means,
                                                    const std::vector<std::uint32_t>& compressed);

}  // namespace glyphreel::mapping
