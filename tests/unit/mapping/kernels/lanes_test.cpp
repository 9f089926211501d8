#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <utility>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "mapping/kernels/kernels.h"
#include "mapping/shared/shared_scalar.h"

// The divisions of lanes.h, in a build of its own for the instruction set of this file.

namespace glyphreel::mapping::lanes_test {

#include "mapping/kernels/lanes.h"

namespace {

namespace scalar = shared::scalar;

/// Compares a division in lanes with the exact one.
template <typename InLanes, typename Exact>
void expect_equal(InLanes in_lanes, Exact exact, int numerator, int denominator) {
  Int n = broadcast(numerator);
  n[LaneCount - 1] = -numerator;
  const Int quotient = in_lanes(n, broadcast(denominator));
  ASSERT_EQ(quotient[0], exact(numerator, denominator)) << numerator << " / " << denominator;
  ASSERT_EQ(quotient[LaneCount - 1], exact(-numerator, denominator)) << -numerator << " / " << denominator;
}

/// Compares quotients that are halfway between two integers or almost, and quotients of random numbers.
template <typename InLanes, typename Exact>
void expect_exact(InLanes in_lanes, Exact exact, int most_numerator, int most_denominator) {
  std::mt19937 random(5);
  for (int i = 0; i < 200000; ++i) {
    const int denominator =
        1 + static_cast<int>(random() % static_cast<unsigned>(most_denominator)) / (1 << random() % 20);
    const int numerator = static_cast<int>(random() % static_cast<unsigned>(most_numerator)) / (1 << i % 20);
    expect_equal(in_lanes, exact, numerator, denominator);
    const int halfway = numerator / denominator * denominator + denominator / 2;
    for (int near = halfway - 1; near <= halfway + 1; ++near) {
      if (near >= 0 && near < most_numerator) expect_equal(in_lanes, exact, near, denominator);
    }
  }
  expect_equal(in_lanes, exact, most_numerator - 1, 1);
  expect_equal(in_lanes, exact, most_numerator - 1, 2);
  expect_equal(in_lanes, exact, most_numerator - 1, most_denominator);
}

TEST(DivisionInLanes, IsExact) {
  const auto in_lanes = [](Int n, Int d) { return divide(n, d); };
  expect_exact(in_lanes, scalar::divide, 1 << 30, 1 << 30);
  const auto small = [](Int n, Int d) { return divide_small(n, d); };
  expect_exact(small, scalar::divide, 1 << 24, (1 << 24) - 1);
}

TEST(DivisionInLanes, RoundsHalvesAwayFromZero) {
  const auto in_lanes = [](Int n, Int d) { return divide_round(n, d); };
  expect_exact(in_lanes, scalar::divide_round, 1 << 30, 1 << 30);
  const auto small = [](Int n, Int d) { return divide_small_round(n, d); };
  expect_exact(small, scalar::divide_round, 1 << 20, (1 << 24) - 1);
}

}  // namespace
}  // namespace glyphreel::mapping::lanes_test

#include "../../../../shaders/shared/postlude.glsl"
