#include "base/decimal.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace glyphreel::decimal_test {
namespace {

TEST(Decimal, WritesEveryByte) {
  for (int number = 0; number < 256; ++number) {
    std::array<char, 3> text{};
    const char* end = put_decimal(text.data(), static_cast<std::uint8_t>(number));
    EXPECT_EQ(std::string_view(text.data(), end), std::to_string(number));
  }
}

}  // namespace
}  // namespace glyphreel::decimal_test
