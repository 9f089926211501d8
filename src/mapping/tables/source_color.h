#pragma once

#include <cstdint>
#include <vector>

#include "base/frame.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// Returns the shared::Tone* that frames with these tags need: TonePq and ToneHlg by the transfer
/// characteristics (16, 18), ToneGamut for SDR with BT.2020's or Display P3's primaries, otherwise ToneNone.
[[nodiscard]] std::uint32_t source_tone(const ColorTags& color);

/// Sets SampleParameters::tone and, unless that is ToneNone, everything that shared::finish_wide_sample()
/// needs: tables, which are appended to `words`, their offsets, and the gamut matrix. `code_peak`: the 12-bit
/// code value of an R'G'B' component of 1.0. For limited range, it is 4080, the value after expansion.
///
/// PQ (SMPTE ST 2084) is tone-mapped by the EETF of ITU-R BT.2390-10 (section 5.4) from the program's peak
/// (1000 cd/m2 if unknown) to an SDR white of 203 cd/m2, HDR's reference white (ITU-R BT.2408-5). Light
/// below the curve's knee is unchanged. Reference white itself, in a program of 1000 cd/m2, becomes 0.78 of
/// SDR white, sRGB code 229, and highlights use the range above it. HLG (ITU-R BT.2100-2) is rendered for a
/// display of 1000 cd/m2, system gamma 1.2, and then tone-mapped like PQ.
void add_source_color(const ColorTags& color, int code_peak, shared::SampleParameters& parameters,
                      std::vector<std::uint32_t>& words);

}  // namespace glyphreel::mapping
