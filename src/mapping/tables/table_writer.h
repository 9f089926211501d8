#pragma once

#include <cstdint>
#include <vector>

#include "mapping/color/numbers.h"
#include "mapping/tables/glyph_tables.h"

namespace glyphreel::mapping {

/// Appends tables to GlyphTables::words and provides their offsets for MapParameters.
class TableWriter {
 public:
  explicit TableWriter(std::vector<std::uint32_t>& words) : words_(words) {}

  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(words_.size()); }

  /// Appends a table and returns the offset at which it begins.
  std::uint32_t add(const std::vector<std::uint32_t>& table) {
    const std::uint32_t at = here();
    words_.insert(words_.end(), table.begin(), table.end());
    return at;
  }

  /// Adds a glyph's MaxSamples bytes: `numbers` (0 to 255), then zeros.
  void add_bytes(const std::vector<int>& numbers) {
    std::vector<std::uint32_t> bytes(shared::MaxSamples / 4, 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      bytes[i / 4] |= static_cast<std::uint32_t>(numbers[i]) << (8 * (i % 4));
    }
    add(bytes);
  }

  /// Adds two tables: at features_at, a vector of 16-bit numbers for each form; at bias_at, half of each
  /// vector's squared length.
  void add_forms(const std::vector<std::vector<int>>& forms, shared::MapParameters& p) {
    std::vector<std::uint32_t> bias;
    p.forms.features_at = here();
    for (const std::vector<int>& features : forms) {
      double square = 0;
      for (std::size_t i = 0; i < features.size(); i += 2) {
        const int low = features[i];
        const int high = i + 1 < features.size() ? features[i + 1] : 0;
        words_.push_back((static_cast<std::uint32_t>(low) & 0xFFFFu) | static_cast<std::uint32_t>(high)
                                                                           << 16);
        square += static_cast<double>(low) * low + static_cast<double>(high) * high;
      }
      bias.push_back(rounded_word(square / 2));
    }
    p.forms.bias_at = add(bias);
    p.forms.feature_pairs = static_cast<std::uint32_t>((forms.front().size() + 1) / 2);
  }

 private:
  std::vector<std::uint32_t>& words_;
};

}  // namespace glyphreel::mapping
