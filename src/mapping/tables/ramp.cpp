#include "mapping/tables/ramp.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "mapping/tables/glyph_measures.h"

namespace glyphreel::mapping {

namespace {

/// All glyphs that a glyph set's default ramp consists of; left halves for wide characters.
std::vector<std::uint32_t> all_steps(const text::GlyphSet& glyphs, const std::vector<std::uint32_t>& ink) {
  std::vector<std::uint32_t> steps;
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

}  // namespace

Result<Ramp> make_ramp(const text::GlyphSet& glyphs, const Parameters& parameters) {
  const std::vector<std::uint32_t> ink = character_ink(glyphs);
  std::vector<std::uint32_t> steps;
  if (parameters.ramp.empty()) {
    steps = all_steps(glyphs, ink);
  } else {
    TRY_ASSIGN(const std::vector<char32_t> characters, text::decode_utf8(parameters.ramp));
    for (const char32_t character : characters) {
      const auto& known = glyphs.code_points();
      const auto found = std::find(known.begin(), known.end(), character);
      if (found == known.end()) {
        return Error{
            ErrorCode::Usage,
            fmt::format("The ramp's character \"{}\" is not in the glyph set.", text::encode_utf8(character)),
            {}};
      }
      steps.push_back(static_cast<std::uint32_t>(found - known.begin()));
    }
  }

  Ramp ramp;
  ramp.entries.resize(256);
  ramp.tones.resize(static_cast<std::size_t>(glyphs.size()));
  const auto first_wide = static_cast<std::uint32_t>(glyphs.narrow_count());
  const auto is_wide = [&](std::uint32_t glyph) { return glyph >= first_wide; };
  ramp.wide = std::ranges::any_of(steps, is_wide);
  if (ramp.wide && std::ranges::any_of(steps, [&](std::uint32_t glyph) {
        return !is_wide(glyph) && static_cast<int>(glyph) != glyphs.blank();
      })) {
    return Error{ErrorCode::Usage,
                 "The ramp mixes characters one cell wide and two cells wide; use only one kind, apart from "
                 "the space.",
                 {}};
  }
  const auto number_of = [&](std::uint32_t glyph) {
    if (!ramp.wide) return glyph;
    return is_wide(glyph) ? (glyph - first_wide) / 2 + 1 : 0;
  };
  if (!parameters.thresholds.empty()) {
    if (parameters.thresholds.size() + 1 != steps.size()) {
      return Error{
          ErrorCode::Usage,
          fmt::format("--thresholds needs one value fewer than the ramp has characters: {} for {}, not {}.",
                      steps.size() - 1, steps.size(), parameters.thresholds.size()),
          {}};
    }
    for (int tone = 0; tone < 256; ++tone) {
      std::size_t step = 0;
      while (step < parameters.thresholds.size() && tone >= parameters.thresholds[step]) ++step;
      ramp.entries[static_cast<std::size_t>(tone)] = number_of(steps[step]) | number_of(steps[step]) << 12;
    }
    return ramp;
  }

  // By measured ink, not by rank: the steps of a ramp are far from even. Compared as code values, which are
  // closer to perception than light is; the brightest glyph represents white (black, if the foreground is
  // darker than the background).
  const std::vector<std::uint32_t> encode = encode_table();
  const bool dark_ink = luma_of(parameters.foreground) < luma_of(parameters.background);
  std::uint32_t most = 1;
  for (const std::uint32_t glyph : steps) most = std::max(most, ink[glyph]);
  const auto tone_of = [&](std::uint32_t glyph) {
    const auto relative = static_cast<std::uint64_t>(ink[glyph]) * 65535 / most;
    return static_cast<int>(encode[std::min<std::uint64_t>(relative, 65535) >> 4]);
  };
  for (std::uint32_t glyph = 0; glyph < ramp.tones.size(); ++glyph) {
    ramp.tones[glyph] = static_cast<std::uint32_t>(dark_ink ? 255 - tone_of(glyph) : tone_of(glyph));
  }
  for (int tone = 0; tone < 256; ++tone) {
    const int wanted = dark_ink ? 255 - tone : tone;
    std::uint32_t nearest = steps[0];
    std::uint32_t below = steps[0];
    std::uint32_t above = steps[0];
    int least = 1 << 30;
    int under = -1;
    int over = 256;
    for (const std::uint32_t glyph : steps) {
      const int reached = tone_of(glyph);
      if (std::abs(reached - wanted) < least) {
        least = std::abs(reached - wanted);
        nearest = glyph;
      }
      if (reached <= wanted && reached > under) {
        under = reached;
        below = glyph;
      }
      if (reached >= wanted && reached < over) {
        over = reached;
        above = glyph;
      }
    }
    std::uint32_t entry = number_of(nearest) | number_of(nearest) << 12;
    if (parameters.dither != Dither::None && under >= 0 && over <= 255 && over > under) {
      const auto share = static_cast<std::uint32_t>((wanted - under) * 256 / (over - under));
      entry = number_of(below) | number_of(above) << 12 | std::min(share, 255u) << 24;
    }
    ramp.entries[static_cast<std::size_t>(tone)] = entry;
  }
  return ramp;
}

}  // namespace glyphreel::mapping
