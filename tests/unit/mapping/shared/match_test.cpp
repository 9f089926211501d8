#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mapping/shared/shared_scalar.h"

namespace glyphreel::mapping::match_test {
namespace {

namespace scalar = shared::scalar;

shared::MapParameters parameters_for(std::uint32_t samples, std::uint32_t index_mask = 4095) {
  shared::MapParameters p{};
  p.sample_count = samples;
  p.forms.index_mask = index_mask;
  return p;
}

TEST(Ranking, KeepsTheBestScoresInOrder) {
  const shared::MapParameters p = parameters_for(32);
  std::minstd_rand random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::pair<int, int>> forms;  // the score, negated, and the index
    scalar::Ranking ranking = scalar::empty_ranking(p);
    for (std::uint32_t form = 0; form < 95; ++form) {
      const int score = static_cast<int>(random() % (round % 2 == 0 ? 30U : 1U << 19));
      forms.emplace_back(-score, form);
      scalar::rank_key(ranking, scalar::form_key(p, score, form));
    }
    std::sort(forms.begin(), forms.end());  // of equal scores, the lower index comes first
    EXPECT_EQ(scalar::key_score(ranking.key[0]), -forms[0].first);
    for (std::uint32_t k = 0; k < shared::CandidateCount; ++k) {
      EXPECT_EQ(scalar::ranked_form(ranking, p, k), forms[k].second) << "place " << k;
    }
  }
}

TEST(Ranking, HasFormZeroInPlacesWithoutForm) {
  const shared::MapParameters p = parameters_for(32);
  scalar::Ranking ranking = scalar::empty_ranking(p);
  scalar::rank_key(ranking, scalar::form_key(p, 0, 7));
  EXPECT_EQ(scalar::ranked_form(ranking, p, 0), 7);
  for (std::uint32_t k = 1; k < shared::CandidateCount; ++k) {
    EXPECT_EQ(scalar::ranked_form(ranking, p, k), 0);
  }
}

TEST(Ranking, ComparesFewerBitsOfTheScoresOfMoreForms) {
  const shared::MapParameters p = parameters_for(32, 16383);
  scalar::Ranking ranking = scalar::empty_ranking(p);
  scalar::rank_key(ranking, scalar::form_key(p, 1000, 5));
  scalar::rank_key(ranking, scalar::form_key(p, 1003, 9000));
  scalar::rank_key(ranking, scalar::form_key(p, 1004, 16383));
  EXPECT_EQ(scalar::ranked_form(ranking, p, 0), 16383);
  EXPECT_EQ(scalar::ranked_form(ranking, p, 1), 5);
  EXPECT_EQ(scalar::ranked_form(ranking, p, 2), 9000);
}

/// Forms with random bytes, and their tables.
struct RandomForms {
  shared::MapParameters p = parameters_for(8);
  std::vector<std::uint32_t> tables;

  explicit RandomForms(std::uint32_t count) {
    constexpr std::uint32_t Row = shared::MaxSamples / 4;
    std::minstd_rand random(6);
    p.forms.narrow = count;
    p.forms.byte_offsets_at = count * Row;
    tables.resize(count * (Row + 1));
    for (std::uint32_t form = 0; form < count; ++form) {
      for (std::uint32_t k = 0; k < 2; ++k)
        tables[form * Row + k] = static_cast<std::uint32_t>(random()) & 0x7F7F7F7FU;
    }
  }
  int product(const scalar::ByteFeatures& f, std::uint32_t form) const {
    return scalar::byte_product(nullptr, tables.data(), {}, p, f, form);
  }
};

/// Each group has two forms that can be candidates: the best of each polarity.
TEST(BestGlyphs, AreTheBestOfEachGroup) {
  std::minstd_rand random(7);
  for (const std::uint32_t count : {3U, 4U, 95U}) {
    RandomForms forms(count);
    for (int round = 0; round < 20; ++round) {
      scalar::ByteFeatures f{};
      for (std::uint32_t k = 0; k < 2; ++k) f.four[k] = static_cast<std::uint32_t>(random()) & 0x7F7F7F7FU;
      // Products of both signs: the mean product is subtracted.
      int mean = 0;
      for (std::uint32_t form = 0; form < count; ++form)
        mean += forms.product(f, form) / static_cast<int>(count);
      for (std::uint32_t form = 0; form < count; ++form)
        forms.tables[forms.p.forms.byte_offsets_at + form] -= static_cast<std::uint32_t>(mean);
      const int aversion = round % 4 == 0 ? 0 : 3;

      std::vector<std::pair<int, std::uint32_t>> best;  // the score, negated, and the form
      for (std::uint32_t group = 0; group < shared::GlyphGroups && group < count; ++group) {
        std::uint32_t most = group;
        std::uint32_t least = group;
        for (std::uint32_t form = group; form < count; form += shared::GlyphGroups) {
          if (forms.product(f, form) > forms.product(f, most)) most = form;
          if (forms.product(f, form) < forms.product(f, least)) least = form;
        }
        if (forms.product(f, most) > 0) best.emplace_back(-forms.product(f, most), most);
        const int negative = -forms.product(f, least);
        if (negative > 0) best.emplace_back((negative >> aversion) - negative, least);
      }
      std::sort(best.begin(), best.end());
      const scalar::Ranking ranking =
          scalar::best_glyphs(nullptr, forms.tables.data(), {}, forms.p, f, aversion);
      for (std::uint32_t k = 0; k < shared::CandidateCount && k < best.size() && best[k].first < 0; ++k) {
        EXPECT_EQ(scalar::key_score(ranking.key[k]), -best[k].first) << count << " forms, place " << k;
        EXPECT_EQ(scalar::ranked_form(ranking, forms.p, k), static_cast<int>(best[k].second));
      }
    }
  }
}

/// A row of samples that differ from gray by -range to range.
scalar::CellSamples samples_of(int range, std::uint32_t count) {
  scalar::CellSamples cell{};
  for (std::uint32_t i = 0; i < count; ++i) {
    const int step = 2 * range * static_cast<int>(i) / static_cast<int>(count - 1);
    cell.word[i] = static_cast<std::uint32_t>(128 - range + step) * 0x010101U;
  }
  return cell;
}

TEST(ByteFeatures, UseTheWholeRange) {
  const scalar::Projection to{.r = 64, .g = 64, .b = 64, .zero = 64 * 3 * 128};
  for (const std::uint32_t count : {2U, 7U, 32U}) {
    const shared::MapParameters p = parameters_for(count);
    for (const int range : {1, 3, 20, 127}) {
      const scalar::CellSamples cell = samples_of(range, count);
      const int largest = scalar::largest_feature(cell, p, to);
      EXPECT_EQ(largest, range * 96);
      const scalar::ByteFeatures bytes =
          scalar::byte_features(cell, p, to, scalar::feature_doublings(largest));
      int least = 127;
      int most = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        const int byte = static_cast<int>(bytes.four[i / 4] >> (8 * (i % 4)) & 0xFFU);
        least = std::min(least, byte);
        most = std::max(most, byte);
      }
      // The largest feature has 15 bits after doubling, so at least 5 of the byte's 6 bits without the sign.
      EXPECT_LE(least, 64 - 32) << range;
      EXPECT_GE(most, 64 + 31) << range;
      EXPECT_LE(most, 127);
    }
  }
}

TEST(ByteFeatures, OfEqualSamplesAreZero) {
  const scalar::Projection to{.r = 64, .g = 64, .b = 64, .zero = 64 * 3 * 128};
  const shared::MapParameters p = parameters_for(32);
  const scalar::CellSamples cell = samples_of(0, 32);
  const int largest = scalar::largest_feature(cell, p, to);
  EXPECT_EQ(largest, 1);
  const scalar::ByteFeatures bytes = scalar::byte_features(cell, p, to, scalar::feature_doublings(largest));
  for (std::uint32_t k = 0; k < 8; ++k) EXPECT_EQ(bytes.four[k], 0x40404040U);
}

}  // namespace
}  // namespace glyphreel::mapping::match_test
