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
      scalar::rank_form(ranking, p, score, form);
    }
    std::sort(forms.begin(), forms.end());  // of equal scores, the lower index comes first
    EXPECT_EQ(scalar::best_score(ranking), -forms[0].first);
    for (std::uint32_t k = 0; k < shared::CandidateCount; ++k) {
      EXPECT_EQ(scalar::ranked_form(ranking, p, k), forms[k].second) << "place " << k;
    }
  }
}

TEST(Ranking, HasFormZeroInPlacesWithoutForm) {
  const shared::MapParameters p = parameters_for(32);
  scalar::Ranking ranking = scalar::empty_ranking(p);
  scalar::rank_form(ranking, p, 0, 7);
  EXPECT_EQ(scalar::ranked_form(ranking, p, 0), 7);
  for (std::uint32_t k = 1; k < shared::CandidateCount; ++k) {
    EXPECT_EQ(scalar::ranked_form(ranking, p, k), 0);
  }
}

TEST(Ranking, ComparesFewerBitsOfTheScoresOfMoreForms) {
  const shared::MapParameters p = parameters_for(32, 16383);
  scalar::Ranking ranking = scalar::empty_ranking(p);
  scalar::rank_form(ranking, p, 1000, 5);
  scalar::rank_form(ranking, p, 1003, 9000);
  scalar::rank_form(ranking, p, 1004, 16383);
  EXPECT_EQ(scalar::ranked_form(ranking, p, 0), 16383);
  EXPECT_EQ(scalar::ranked_form(ranking, p, 1), 5);
  EXPECT_EQ(scalar::ranked_form(ranking, p, 2), 9000);
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
