#include "base/threads/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace glyphreel::distribution_test {
namespace {

TEST(Distribution, IsEmptyInitially) {
  const Distribution none;
  EXPECT_EQ(none.count(), 0u);
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.largest(), 0);
  EXPECT_EQ(none.quantile(0.5), 0);
  EXPECT_TRUE(none.recent(10).empty());
}

TEST(Distribution, FewValuesAreExact) {
  Distribution some;
  for (const double value : {4.0, -1.0, 3.0, 2.0}) some.add(value);
  EXPECT_EQ(some.count(), 4u);
  EXPECT_DOUBLE_EQ(some.mean(), 2);
  EXPECT_DOUBLE_EQ(some.quantile(0.5), 2.5) << "quantiles are of absolute values";
  EXPECT_DOUBLE_EQ(some.quantile(1), 4);
  EXPECT_DOUBLE_EQ(some.largest(), 4);
  EXPECT_EQ(some.recent(3), (std::vector<float>{-1, 3, 2}));
  EXPECT_EQ(some.recent(9), (std::vector<float>{4, -1, 3, 2}));
}

TEST(Distribution, ManyValuesAreWithinStatedResolution) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> milliseconds(1.0, 2.0);  // values range from microseconds to seconds
  Distribution many;
  std::vector<float> all;
  double sum = 0;
  for (int i = 0; i < 216'000; ++i) {  // an hour at 60 fps
    const double value = milliseconds(random) * (i % 3 == 0 ? -1 : 1);
    many.add(value);
    all.push_back(std::abs(static_cast<float>(value)));
    sum += value;
  }
  EXPECT_EQ(many.count(), all.size());
  EXPECT_DOUBLE_EQ(many.sum(), sum);
  EXPECT_FLOAT_EQ(static_cast<float>(many.largest()), *std::max_element(all.begin(), all.end()));
  for (const double q : {0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double exact = quantile(all, q);
    EXPECT_NEAR(many.quantile(q), exact, exact * 0.009) << q;
  }
}

TEST(Distribution, ValuesOutOfRangeKeepExtremes) {
  Distribution wide;
  for (int i = 0; i < 3000; ++i) wide.add(i % 2 == 0 ? 0.0 : 1e9);
  EXPECT_EQ(wide.quantile(0), 0);
  EXPECT_LE(wide.quantile(1), 1e9);
  EXPECT_GT(wide.quantile(1), 1e6);
  EXPECT_EQ(wide.largest(), 1e9);
}

TEST(Distribution, RemembersLastValuesInOrder) {
  Distribution ring;
  const auto total = static_cast<int>(Distribution::Remembered) * 2 + 17;
  for (int i = 0; i < total; ++i) ring.add(i);
  const std::vector<float> last = ring.recent(5);
  EXPECT_EQ(last, (std::vector<float>{static_cast<float>(total - 5), static_cast<float>(total - 4),
                                      static_cast<float>(total - 3), static_cast<float>(total - 2),
                                      static_cast<float>(total - 1)}));
  EXPECT_EQ(ring.recent(1'000'000).size(), Distribution::Remembered) << "the limit keeps memory constant";
}

}  // namespace
}  // namespace glyphreel::distribution_test
