#pragma once

#include <cstdint>
#include <vector>

#include "mapping/shared/parameters.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// Applies contrast, brightness, gamma and inversion, in this order, to an 8-bit code value of R', G', B'
/// or luma. The code value is scaled to v, 0 to 1. Then v becomes
/// v * (1 + contrast / 100) + brightness / 100, is clamped to 0 to 1, is raised to the power of
/// 8^(-gamma / 100), and is inverted if `inverted` is set. The result is scaled back to a code value.
[[nodiscard]] int adjusted_code(const Adjustments& adjustments, int code);

/// Sets SampleParameters::adjust_at and ::saturation. Appends to `words` the table that
/// shared::adjust_sample() needs; `words` must not be empty. If the adjustments change nothing, appends no
/// table and sets adjust_at to 0.
void add_adjustments(const Adjustments& adjustments, shared::SampleParameters& parameters,
                     std::vector<std::uint32_t>& words);

}  // namespace glyphreel::mapping
