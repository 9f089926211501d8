#include "mapping/tables/ramp.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "mapping/tables/glyph_measures.h"
#include "text/code_points/unicode.h"

namespace glyphreel::mapping {

namespace {

// The glyph numbers of a ramp's steps, or the words of a table. In a ramp, the left half of a wide character
// represents the whole character.
using Glyphs = std::vector<std::uint32_t>;

Error usage(std::string sentence) {
  return {ErrorCode::Usage, std::move(sentence), {}};
}

Glyphs default_ramp(const text::GlyphSet& glyphs, const std::vector<std::uint32_t>& ink) {
  Glyphs steps;
  for (int glyph = 0; glyph < glyphs.narrow_count(); ++glyph)
    steps.push_back(static_cast<std::uint32_t>(glyph));
  const bool inked =
      std::any_of(ink.begin(), ink.begin() + glyphs.narrow_count(), [](auto light) { return light > 0; });
  if (inked || !glyphs.has_wide()) return steps;
  steps.resize(1);
  for (int glyph = glyphs.narrow_count(); glyph < glyphs.size(); glyph += 2) {
    steps.push_back(static_cast<std::uint32_t>(glyph));
  }
  return steps;
}

Result<Glyphs> custom_ramp(const text::GlyphSet& glyphs, const std::string& ramp) {
  TRY_ASSIGN(const std::vector<char32_t> characters, text::decode_utf8(ramp));
  Glyphs steps;
  for (const char32_t character : characters) {
    const auto& known = glyphs.code_points();
    const auto found = std::find(known.begin(), known.end(), character);
    if (found == known.end()) {
      return usage(fmt::format("The ramp's character \"{}\" is not in the glyph set; leave it out of --ramp.",
                               text::encode_utf8(character)));
    }
    steps.push_back(static_cast<std::uint32_t>(found - known.begin()));
  }
  return steps;
}

struct RampStep {
  std::uint32_t number;  ///< the step's glyph as numbered in Ramp::entries
  int tone;              ///< code value of the step's light, 255 = the brightest step
};

std::uint32_t entry(const RampStep& first, const RampStep& second) {
  return first.number | second.number << 12;
}

/// Returns the entry for a tone: the nearest step or, with dither, the nearest steps below and above, and the
/// share of the step above. If several steps are equally near, uses the first.
std::uint32_t entry_for(int wanted, const std::vector<RampStep>& steps, Dither dither) {
  const auto least = [&](const auto& distance) { return *std::ranges::min_element(steps, {}, distance); };
  const RampStep nearest = least([&](const RampStep& step) { return std::abs(step.tone - wanted); });
  const RampStep below =
      least([&](const RampStep& step) { return step.tone <= wanted ? wanted - step.tone : 256; });
  const RampStep above =
      least([&](const RampStep& step) { return step.tone >= wanted ? step.tone - wanted : 256; });
  const bool between = below.tone <= wanted && above.tone >= wanted && above.tone > below.tone;
  if (dither == Dither::None || !between) return entry(nearest, nearest);
  const auto share = static_cast<std::uint32_t>((wanted - below.tone) * 256 / (above.tone - below.tone));
  return entry(below, above) | std::min(share, 255u) << 24;
}

Result<Glyphs> threshold_entries(const std::vector<int>& thresholds, const std::vector<RampStep>& steps) {
  if (thresholds.size() + 1 != steps.size()) {
    return usage(fmt::format("--thresholds must have {} values for the {} characters of --ramp, not {}.",
                             steps.size() - 1, steps.size(), thresholds.size()));
  }
  Glyphs entries;
  for (int tone = 0; tone < 256; ++tone) {
    const auto reached = std::ranges::upper_bound(thresholds, tone) - thresholds.begin();
    const RampStep& step = steps[static_cast<std::size_t>(reached)];
    entries.push_back(entry(step, step));
  }
  return entries;
}

}  // namespace

Result<Ramp> make_ramp(const text::GlyphSet& glyphs, const Parameters& parameters) {
  const std::vector<std::uint32_t> ink = character_ink(glyphs);
  Glyphs ramp_glyphs = default_ramp(glyphs, ink);
  if (!parameters.ramp.empty()) {
    TRY_ASSIGN(ramp_glyphs, custom_ramp(glyphs, parameters.ramp));
  }
  const auto first_wide = static_cast<std::uint32_t>(glyphs.narrow_count());
  const auto is_wide = [&](std::uint32_t glyph) { return glyph >= first_wide; };
  const auto is_narrow_ink = [&](std::uint32_t glyph) {
    return !is_wide(glyph) && static_cast<int>(glyph) != glyphs.blank();
  };
  Ramp ramp{
      .entries = Glyphs(256), .tones = Glyphs(ink.size()), .wide = std::ranges::any_of(ramp_glyphs, is_wide)};
  if (ramp.wide && std::ranges::any_of(ramp_glyphs, is_narrow_ink)) {
    return usage(
        "The ramp mixes characters one cell wide with characters two cells wide; use only one of these "
        "widths, with or without the space.");
  }

  // A glyph's tone comes from its measured ink, not from its position in the ramp, since the steps of a ramp
  // are far from even. Tones are code values, which are closer to perception than linear light. The glyph
  // with the most ink represents white or, if the foreground is darker than the background, black.
  const std::vector<std::uint32_t> encode = encode_table();
  std::uint64_t most = 1;
  for (const std::uint32_t glyph : ramp_glyphs) most = std::max<std::uint64_t>(most, ink[glyph]);
  const auto tone_of = [&](std::uint32_t glyph) {
    return static_cast<int>(
        encode[std::min<std::uint64_t>(std::uint64_t{ink[glyph]} * 65535 / most, 65535) >> 4]);
  };
  std::vector<RampStep> steps;
  for (const std::uint32_t glyph : ramp_glyphs) {
    const std::uint32_t number = !ramp.wide ? glyph : is_wide(glyph) ? (glyph - first_wide) / 2 + 1 : 0;
    steps.push_back({number, tone_of(glyph)});
  }

  if (!parameters.thresholds.empty()) {
    TRY_ASSIGN(ramp.entries, threshold_entries(parameters.thresholds, steps));
    return ramp;
  }
  const bool dark_ink = luma_of(parameters.foreground) < luma_of(parameters.background);
  for (std::uint32_t glyph = 0; glyph < ramp.tones.size(); ++glyph) {
    ramp.tones[glyph] = static_cast<std::uint32_t>(dark_ink ? 255 - tone_of(glyph) : tone_of(glyph));
  }
  for (int tone = 0; tone < 256; ++tone) {
    ramp.entries[static_cast<std::size_t>(tone)] =
        entry_for(dark_ink ? 255 - tone : tone, steps, parameters.dither);
  }
  return ramp;
}

}  // namespace glyphreel::mapping
