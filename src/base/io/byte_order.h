#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace glyphreel {

/// Appends the lower `count` bytes of an integer in little-endian order.
template <std::integral Number>
void append_little(std::string& bytes, Number number, std::size_t count = sizeof(Number)) {
  const auto bits = static_cast<std::uint64_t>(number);
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xff);
}

/// Appends the lower `count` bytes of an integer in big-endian order.
template <std::integral Number>
void append_big(std::string& bytes, Number number, std::size_t count = sizeof(Number)) {
  const auto bits = static_cast<std::uint64_t>(number);
  for (std::size_t i = count; i > 0; --i) bytes += static_cast<char>(bits >> (8 * (i - 1)) & 0xff);
}

/// Reads little-endian integers and strings from bytes. A read past the end returns 0 or an empty string, and
/// makes failed() true.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <std::integral Number>
  [[nodiscard]] Number get() {
    const std::string_view bytes = text(sizeof(Number));
    std::make_unsigned_t<Number> bits = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) {
      if constexpr (sizeof(Number) > 1) bits <<= 8;
      bits |= static_cast<std::uint8_t>(bytes[i - 1]);
    }
    return static_cast<Number>(bits);
  }
  [[nodiscard]] std::string_view text(std::size_t length) {
    if (length > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace glyphreel
