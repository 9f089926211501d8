#pragma once

#include <cstdint>
#include <vector>

#include "mapping/parameters.h"
#include "mapping/shared_types.h"

namespace glyphreel::mapping {

/// What brightness, contrast, gamma and inversion, in this order, make of an 8-bit code value of R', G', B'
/// or luma: value * (1 + contrast / 100) + brightness / 100, of values of 0 to 1, then raised to the power of
/// 8^(-gamma / 100).
[[nodiscard]] int adjusted_code(const Adjustments& adjustments, int code);

/// Sets SampleParameters::adjust_at and ::saturation, and appends the table that shared::adjust_sample()
/// needs to `words`, which must hold something already; where the adjustments leave all as it is, no table,
/// and adjust_at is 0.
void add_adjustments(const Adjustments& adjustments, shared::SampleParameters& parameters,
                     std::vector<std::uint32_t>& words);

}  // namespace glyphreel::mapping
