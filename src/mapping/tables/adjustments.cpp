#include "mapping/tables/adjustments.h"

#include <algorithm>
#include <cmath>

#include "base/result.h"
#include "mapping/color/numbers.h"

namespace glyphreel::mapping {

int adjusted_code(const Adjustments& adjustments, int code) {
  // The formulas are mpv's, so that mpv users get what they expect.
  const double contrast = (adjustments.contrast + 100) / 100.0;
  const double brightness = adjustments.brightness / 100.0;
  const double exponent = std::pow(8.0, -adjustments.gamma / 100.0);
  const double linear = std::clamp(code / 255.0 * contrast + brightness, 0.0, 1.0);
  const int adjusted = rounded(std::pow(linear, exponent) * 255);
  return adjustments.inverted ? 255 - adjusted : adjusted;
}

void add_adjustments(const Adjustments& adjustments, shared::SampleParameters& p,
                     std::vector<std::uint32_t>& words) {
  p.adjust_at = 0;
  p.saturation = shared::SaturationOne;
  if (adjustments == Adjustments{.tone_mapping = adjustments.tone_mapping}) return;
  CHECK(!words.empty(),
        "the adjustment table must not be at offset 0, because adjust_at 0 means that there is no table");
  p.adjust_at = static_cast<std::int32_t>(words.size());
  p.saturation = rounded((adjustments.saturation + 100) / 100.0 * shared::SaturationOne);
  for (int code = 0; code < 256; ++code) {
    words.push_back(static_cast<std::uint32_t>(adjusted_code(adjustments, code)));
  }
}

}  // namespace glyphreel::mapping
