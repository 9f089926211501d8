#include "mapping/tables/perceptual_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "mapping/tables/glyph_measures.h"

namespace glyphreel::mapping {
namespace {

// The longest glyph vector is scaled to this length, so that inner products with the 64 features (16 bits
// each) of a pair of cells fit in 31 bits.
constexpr double FeatureNorm = 4096;
// A glyph whose ink has less contrast than this counts as uniform: its PerceivedGlyph::contrast is 0. A
// half-covered cell has a contrast of 1/4.
constexpr double MinContrast = 1e-3;
constexpr double All = 1 << shared::PerceptualLog2;

using Vector = std::vector<double>;

double sum_of(const Vector& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

/// A character's perceived ink. The range [first, end) is a narrow glyph or both halves of a wide one.
struct PerceivedCharacter {
  std::size_t first, end;
  double mean = 0;      ///< mean of the perceived ink
  double contrast = 0;  ///< mean square of the perceived ink's difference from its mean
};

std::vector<PerceivedCharacter> perceived_characters(const PerceptualMasks& seen, std::size_t wide_from) {
  std::vector<PerceivedCharacter> characters;
  for (std::size_t glyph = 0; glyph < seen.samples.size();) {
    PerceivedCharacter character{glyph, glyph + (glyph < wide_from ? 1 : 2)};
    const auto cells = static_cast<double>(character.end - character.first);
    double square = 0;
    for (; glyph < character.end; ++glyph) {
      character.mean += sum_of(seen.samples[glyph]) / cells;
      square += seen.squares[glyph] / cells;
    }
    character.contrast = square - character.mean * character.mean;
    if (character.contrast < MinContrast) character.contrast = 0;
    characters.push_back(character);
  }
  return characters;
}

/// Returns a vector for each glyph. The square of its inner product with a cell's samples is proportional to
/// how much of the samples' variance the glyph explains. `longest`: set to the length of the longest vector.
std::vector<Vector> explaining_forms(const PerceptualMasks& seen,
                                     const std::vector<PerceivedCharacter>& characters, double& longest) {
  std::vector<Vector> forms;
  longest = 1e-9;
  for (const PerceivedCharacter& character : characters) {
    double square = 0;
    for (std::size_t glyph = character.first; glyph < character.end; ++glyph) {
      Vector form = seen.samples[glyph];
      for (std::size_t i = 0; i < form.size(); ++i) {
        form[i] = character.contrast > 0
                      ? (form[i] - character.mean * seen.full[i]) / std::sqrt(character.contrast)
                      : 0;
        square += form[i] * form[i];
      }
      forms.push_back(std::move(form));
    }
    longest = std::max(longest, std::sqrt(square));
  }
  return forms;
}

std::vector<std::vector<int>> scaled(const std::vector<Vector>& forms, double factor) {
  std::vector<std::vector<int>> features;
  for (const Vector& form : forms) {
    std::vector<int>& numbers = features.emplace_back();
    for (const double x : form) numbers.push_back(rounded(x * factor));
  }
  return features;
}

/// Adds the tables at bytes_at and byte_offsets_at, and sets index_mask. A narrow glyph that looks like an
/// earlier one gets the product 0. Otherwise, it could be a candidate without the earlier one, if the two are
/// in different groups (best_glyphs() in ranking.glsl).
void add_form_bytes(const std::vector<Vector>& forms, shared::MapParameters& p, TableWriter& tables) {
  double largest = 1e-9;
  for (const Vector& form : forms) {
    for (const double x : form) largest = std::max(largest, std::abs(x));
  }
  // byte_features() rounds down, so on average a feature is half a unit above its byte.
  constexpr double MiddleOfZero = shared::ByteFeatureZero - 0.5;
  std::vector<std::uint32_t> offsets;
  std::set<Vector> earlier;
  p.forms.bytes_at = tables.here();
  for (std::vector<int>& bytes : scaled(forms, 127 / largest)) {
    const std::size_t glyph = offsets.size();
    if (glyph < p.forms.narrow && !earlier.insert(forms[glyph]).second) std::ranges::fill(bytes, 0);
    const int sum = std::accumulate(bytes.begin(), bytes.end(), 0);
    offsets.push_back(static_cast<std::uint32_t>(rounded(-MiddleOfZero * sum)));
    for (int& byte : bytes) byte &= 0xFF;
    tables.add_bytes(bytes);
  }
  p.forms.byte_offsets_at = tables.add(offsets);
  p.forms.index_mask = (1U << shared::ScoreShift) - 1;
  while (p.forms.index_mask < forms.size()) p.forms.index_mask = 2 * p.forms.index_mask + 1;
}

/// Rounds the byte with the largest rounding error the other way. This is needed if the weight sums of a wide
/// character's halves have an odd total. The character is fitted with the average of the two sums, which
/// would then lose half a unit. In a faint character, that loss is visible in the colors.
void round_other_way(std::vector<int>& bytes, const Vector& wanted, const std::vector<int>& most) {
  std::size_t farthest = 0;
  const auto off = [&](std::size_t i) { return std::abs(wanted[i] - bytes[i]); };
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (off(i) > off(farthest)) farthest = i;
  }
  const int other_way = bytes[farthest] + (wanted[farthest] > bytes[farthest] ? 1 : -1);
  bytes[farthest] = std::clamp(other_way, 0, most[farthest]);
}

/// Adds the tables at full_weights_at and weights_at. Returns the sum of each glyph's weights. The weights of
/// a fully covered cell sum to 2^PerceptualLog2.
std::vector<int> add_weights(const PerceptualMasks& seen, shared::MapParameters& p, TableWriter& tables) {
  // Bytes are at most 127, since CPUs multiply signed bytes.
  const double largest = *std::max_element(seen.full.begin(), seen.full.end());
  while (largest * (1 << (shared::PerceptualLog2 - p.fit.weight_shift)) > 126) ++p.fit.weight_shift;
  std::vector<int> full;
  double place = 0;
  // Rounds the shares to bytes that sum to exactly 2^(PerceptualLog2 - weight_shift).
  for (const double share : seen.full) {
    const double next = place + share * (1 << (shared::PerceptualLog2 - p.fit.weight_shift));
    full.push_back(rounded(next) - rounded(place));
    place = next;
  }
  p.fit.full_weights_at = tables.here();
  tables.add_bytes(full);
  p.fit.weights_at = tables.here();
  std::vector<int> sums;
  for (std::size_t glyph = 0; glyph < seen.samples.size(); ++glyph) {
    Vector wanted;
    std::vector<int> bytes;
    for (std::size_t i = 0; i < full.size(); ++i) {
      wanted.push_back(full[i] * seen.samples[glyph][i] / seen.full[i]);
      bytes.push_back(rounded(wanted.back()));
    }
    const auto sum = [&] { return std::accumulate(bytes.begin(), bytes.end(), 0) << p.fit.weight_shift; };
    const bool right_half = glyph >= p.forms.wide_from && (glyph - p.forms.wide_from) % 2 == 1;
    if (right_half && (sum() + sums.back()) % 2 != 0) round_other_way(bytes, wanted, full);
    tables.add_bytes(bytes);
    sums.push_back(sum());
  }
  return sums;
}

/// Returns the table for sums_at. `inked`: the sums that add_weights() returned.
std::vector<std::uint32_t> glyph_sums(const PerceptualMasks& seen,
                                      const std::vector<PerceivedCharacter>& characters,
                                      const std::vector<int>& inked, const std::vector<Vector>& coverage,
                                      const std::vector<Vector>& squares) {
  std::vector<std::uint32_t> sums;
  for (const PerceivedCharacter& character : characters) {
    // Both halves of a wide character are fitted as one glyph, so they share the average of their two sums.
    const int a = (inked[character.first] + inked[character.end - 1]) >> 1;
    double square = 0;
    for (std::size_t glyph = character.first; glyph < character.end; ++glyph) {
      square += seen.squares[glyph] * All / static_cast<double>(character.end - character.first);
    }
    const double contrast = character.contrast > 0 ? std::max(1.0, 8 * (square - a * (a / All))) : 0;
    for (std::size_t glyph = character.first; glyph < character.end; ++glyph) {
      const int pixel_sum = rounded(sum_of(coverage[glyph]) * shared::CoverageOne);
      const int pixel_square = rounded(sum_of(squares[glyph]) * shared::CoverageOne * shared::CoverageOne);
      // The sum of the squared uncovered parts follows from pixel_sum and pixel_square. Because these two are
      // rounded independently, it could be negative; `least` prevents this.
      const int least = 64 * pixel_sum - 1024 * static_cast<int>(coverage[glyph].size());
      sums.push_back(static_cast<std::uint32_t>(a) | rounded_word(contrast) << 16);
      sums.push_back(static_cast<std::uint32_t>(pixel_sum) |
                     static_cast<std::uint32_t>(std::max(pixel_square, least)) << 16);
    }
  }
  return sums;
}

}  // namespace

double add_perceptual_tables(const text::GlyphSet& glyphs, GridSize samples,
                             shared::MapParameters& parameters, TableWriter& tables) {
  MaskCurve square_of{};
  for (std::size_t mask = 0; mask < square_of.size(); ++mask) {
    square_of[mask] = static_cast<double>(mask) / 255.0 * static_cast<double>(mask) / 255.0;
  }
  const std::vector<Vector> coverage = sample_masks(glyphs, samples, coverage_curve());
  const PerceptualMasks seen = perceptual_masks(glyphs, samples);
  const std::vector<PerceivedCharacter> characters = perceived_characters(seen, parameters.forms.wide_from);

  double longest = 0;
  const std::vector<Vector> forms = explaining_forms(seen, characters, longest);
  tables.add_forms(scaled(forms, FeatureNorm / longest), parameters);
  add_form_bytes(forms, parameters, tables);
  const std::vector<int> inked = add_weights(seen, parameters, tables);
  parameters.fit.sums_at =
      tables.add(glyph_sums(seen, characters, inked, coverage, sample_masks(glyphs, samples, square_of)));
  parameters.fit.coverage_at = tables.here();
  for (const Vector& glyph : coverage) {
    std::vector<int> bytes;
    for (const double share : glyph) bytes.push_back(rounded(share * shared::CoverageOne));
    tables.add_bytes(bytes);
  }
  return longest;
}

GlyphNumbers glyph_numbers(const GlyphTables& tables, std::uint32_t glyph) {
  const std::uint32_t* sums = &tables.words[tables.parameters.fit.sums_at + 2 * std::size_t{glyph}];
  return {.a = sums[0] & 0xFFFFu,
          .contrast = sums[0] >> 16,
          .pixel_sum = sums[1] & 0xFFFFu,
          .pixel_square = sums[1] >> 16};
}

}  // namespace glyphreel::mapping
