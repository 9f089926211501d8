#pragma once

#include <cstdint>
#include <vector>

#include "base/frame.h"
#include "mapping/shared_types.h"

namespace glyphreel::mapping {

/// Which of shared::Tone* frames with these tags need: TonePq and ToneHlg by the transfer characteristics
/// (16, 18), ToneGamut for SDR of BT.2020's or Display P3's primaries, else ToneNone.
[[nodiscard]] std::uint32_t source_tone(const ColorTags& color);

/// Sets SampleParameters::tone and, unless that is ToneNone, all that shared::finish_wide_sample() needs:
/// tables, which are appended to `words`, their offsets, and the gamut's matrix. `code_peak`: the 12-bit code
/// value that an R'G'B' component of 1.0 has, limited range expanded (4080 there).
///
/// PQ (SMPTE ST 2084) is tone-mapped by the EETF of ITU-R BT.2390-10 (section 5.4) from the programme's peak
/// (1000 cd/m2 where it is unknown) to an SDR white of 203 cd/m2, HDR's reference white (ITU-R BT.2408-5):
/// what is darker than the curve's knee keeps its light; reference white itself, in a programme of 1000
/// cd/m2, comes out at 0.78 of SDR white, sRGB code 229, and highlights have what is above. HLG (ITU-R
/// BT.2100-2) is shown as by a display of 1000 cd/m2, system gamma 1.2, and goes on as PQ does.
void add_source_color(const ColorTags& color, int code_peak, shared::SampleParameters& parameters,
                      std::vector<std::uint32_t>& words);

}  // namespace glyphreel::mapping
