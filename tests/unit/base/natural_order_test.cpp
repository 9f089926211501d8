#include "base/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace glyphreel::natural_order_test {
namespace {

TEST(NaturalOrder, ComparesNumbersByValue) {
  const std::vector<std::string> expected = {"",
                                             "1",
                                             "2",
                                             "10",
                                             "A",
                                             "a",
                                             "a 1",
                                             "a1",
                                             "a01b",
                                             "a1b",
                                             "a1c",
                                             "a2",
                                             "a10",
                                             "a10b2",
                                             "a10b10",
                                             "B",
                                             "b",
                                             "shot-9",
                                             "shot-0010",
                                             "shot-10",
                                             "shot-11.png",
                                             "Shot-12",
                                             "z99999999999999999998",
                                             "z99999999999999999999",
                                             "z100000000000000000000"};
  std::vector<std::string> sorted = expected;
  std::mt19937 dice(1);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(sorted.begin(), sorted.end(), dice);
    std::sort(sorted.begin(), sorted.end(), natural_less);
    EXPECT_EQ(sorted, expected);
  }
}

TEST(NaturalOrder, IsStrictWeakOrder) {
  std::mt19937 dice(2);
  const auto word = [&] {
    std::string text;
    for (auto length = dice() % 6; length > 0; --length) text.push_back("01a9B-"[dice() % 6]);
    return text;
  };
  for (int round = 0; round < 20000; ++round) {
    const std::string a = word();
    const std::string b = word();
    const std::string c = word();
    EXPECT_FALSE(natural_less(a, a));
    EXPECT_EQ(natural_less(a, b) || natural_less(b, a), a != b) << a << ' ' << b;
    if (natural_less(a, b) && natural_less(b, c)) {
      EXPECT_TRUE(natural_less(a, c)) << a << ' ' << b << ' ' << c;
    }
  }
}

}  // namespace
}  // namespace glyphreel::natural_order_test
