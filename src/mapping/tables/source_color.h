#pragma once

#include <cstdint>
#include <vector>

#include "base/frame.h"
#include "base/picture_choices.h"
#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping {

/// Returns the shared::Tone* that frames with these tags need: TonePq or ToneHlg for the transfer
/// characteristics 16 or 18 (ITU-T H.273), ToneGamut for SDR with BT.2020's or Display P3's primaries,
/// otherwise ToneNone.
[[nodiscard]] std::uint32_t source_tone(const ColorTags& color);

/// Sets SampleParameters::tone and, unless that is ToneNone, everything that shared::finish_wide_sample()
/// needs: tables, which are appended to `words`, their offsets, and the gamut matrix. `code_peak`: the 12-bit
/// code value of an R'G'B' component of 1.0, after limited range has been expanded to full range. For limited
/// range, it is 4080.
///
/// The curve `tone_mapping` (tone_curve.h) maps light between black and the scene's peak to SDR's range. Its
/// input is the light that PQ (SMPTE ST 2084) encodes, or the light that HLG (ITU-R BT.2100-2) produces on a
/// display with a peak of 1000 cd/m2 and a system gamma of 1.2. If the scene has not been measured, the peak
/// is 1000 cd/m2 for HLG; for PQ, it comes from the metadata or, without metadata, is also 1000 cd/m2.
void add_source_color(const ColorTags& color, ToneMapping tone_mapping, int code_peak,
                      shared::SampleParameters& parameters, std::vector<std::uint32_t>& words);

}  // namespace glyphreel::mapping
