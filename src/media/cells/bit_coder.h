#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace glyphreel::media {

// Adaptive arithmetic coding of bits: a bit whose predicted probability is p adds -log2(p) bits to the
// output. Decoding needs only 32-bit integers. The WebAssembly decoder of .html recordings
// (assets/player/decoder.c) uses the same arithmetic, because it must decode the same values.

inline constexpr int ProbabilityBits = 12;  ///< probabilities are 1 to 4095, in units of 2^-12

namespace bit_tables {

/// 4096 / (1 + exp(-x / 2)) for x = -16 to 16.
inline constexpr std::array<int, 33> Logistic{
    1,    2,    4,    6,    10,   17,   27,   45,   74,   120,  194,  311,  488,  747,  1102, 1546, 2048,
    2550, 2994, 3349, 3608, 3785, 3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095};
/// Rates[n] is a model's learning rate after it has coded n bits: 1 / (n + 1.6), in units of 2^-14.
inline constexpr auto Rates = [] {
  std::array<int, 32> rates{};
  for (int n = 0; n < 32; ++n) rates[static_cast<std::size_t>(n)] = 163840 / (10 * n + 16);
  return rates;
}();
inline constexpr int MaxLogit = 2047;

/// Converts a logit, in units of 1/256, to a probability.
constexpr int probability_of(int logit) {
  const int place = std::clamp(logit, -MaxLogit, MaxLogit) + MaxLogit + 1;
  const auto i = static_cast<std::size_t>(place >> 7);
  const int part = place & 127;
  return (Logistic[i] * (128 - part) + Logistic[i + 1] * part + 64) >> 7;
}
/// The inverse of probability_of(): Logits[p] is the least logit whose probability is at least p.
inline constexpr auto Logits = [] {
  std::array<std::int16_t, 1 << ProbabilityBits> logits{};
  int logit = -MaxLogit;
  for (int p = 0; p < 1 << ProbabilityBits; ++p) {
    while (logit < MaxLogit && probability_of(logit) < p) ++logit;
    logits[static_cast<std::size_t>(p)] = static_cast<std::int16_t>(logit);
  }
  return logits;
}();

}  // namespace bit_tables

/// The probability of a 1, learned from the bits that were coded with this model. It adapts fast at first,
/// and later reflects about the last 32 bits.
class BitModel {
 public:
  [[nodiscard]] int probability() const { return (probability_ >> 4) | 1; }
  [[nodiscard]] int logit() const { return bit_tables::Logits[probability_ >> 4]; }
  void learn(bool bit) {
    const int target = bit ? 0xffff : 0;
    probability_ =
        static_cast<std::uint16_t>(probability_ + ((target - probability_) * bit_tables::Rates[seen_] >> 14));
    if (seen_ + 1U < bit_tables::Rates.size()) ++seen_;
  }

 private:
  std::uint16_t probability_ = 1 << 15;  ///< in units of 2^-16
  std::uint8_t seen_ = 0;
};

/// Combines two models' predictions of the same bit, with weights that it learns.
class BitMixer {
 public:
  static constexpr std::size_t Models = 2;
  /// Codes a bit; `coder` is a BitEncoder or a BitDecoder. Returns the bit.
  template <class Coder>
  bool code(Coder& coder, const std::array<BitModel*, Models>& models, bool bit) {
    std::array<int, Models> logits{};
    std::uint32_t sum = 0;  // unsigned, because it can overflow in damaged files
    for (std::size_t i = 0; i < Models; ++i) {
      logits[i] = models[i]->logit();
      sum += static_cast<std::uint32_t>(weights_[i]) * static_cast<std::uint32_t>(logits[i]);
    }
    const int probability = bit_tables::probability_of(static_cast<std::int32_t>(sum) >> 16);
    bit = coder.code(probability, bit);
    const int error = (bit ? 1 << ProbabilityBits : 0) - probability;
    for (std::size_t i = 0; i < Models; ++i) {
      weights_[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(weights_[i]) +
                                              static_cast<std::uint32_t>(logits[i] * error >> 10));
      models[i]->learn(bit);
    }
    return bit;
  }

 private:
  std::array<std::int32_t, Models> weights_{1 << 15, 1 << 15};  ///< in units of 2^-16
};

/// Codes a bit with one model.
template <class Coder>
bool code_bit(Coder& coder, BitModel& model, bool bit) {
  bit = coder.code(model.probability(), bit);
  model.learn(bit);
  return bit;
}

/// The arithmetic coder's initial range, which is part of the format (docs/cells-format.md).
inline constexpr std::uint32_t FullRange = 0x7fffffff;
inline constexpr std::uint32_t MinRange = 1 << 23;

class BitEncoder {
 public:
  /// Encodes and returns `bit`. `probability` is the probability of a 1, in units of 2^-12.
  bool code(int probability, bool bit) {
    const std::uint32_t bound = (range_ >> ProbabilityBits) * static_cast<std::uint32_t>(probability);
    if (!bit) low_ += bound;
    range_ = bit ? bound : range_ - bound;
    for (; range_ < MinRange; range_ <<= 8) put_byte();
    return bit;
  }
  /// Returns the encoded bytes, and resets the encoder.
  [[nodiscard]] std::string finish() {
    for (int i = 0; i < 4; ++i) put_byte();
    range_ = FullRange;
    return std::exchange(bytes_, {});
  }

 private:
  void put_byte() {
    // If low_ has overflowed 32 bits, add the carry to the bytes already written.
    if (low_ >> 32 != 0)
      for (std::size_t i = bytes_.size(); ++bytes_[--i] == '\0';) {
      }
    bytes_ += static_cast<char>(low_ >> 24 & 0xff);
    low_ = (low_ & 0xffffff) << 8;
  }

  std::string bytes_;
  std::uint64_t low_ = 0;
  std::uint32_t range_ = FullRange;
};

class BitDecoder {
 public:
  BitDecoder() = default;
  /// `bytes` must outlive the decoder.
  explicit BitDecoder(std::string_view bytes) : bytes_(bytes) {
    for (int i = 0; i < 4; ++i) code_ = code_ << 8 | next_byte();
  }
  /// Returns the next bit. `probability` is the probability of a 1, in units of 2^-12.
  bool code(int probability, bool /*bit*/) {
    const std::uint32_t bound = (range_ >> ProbabilityBits) * static_cast<std::uint32_t>(probability);
    const bool bit = code_ < bound;
    if (!bit) code_ -= bound;
    range_ = bit ? bound : range_ - bound;
    for (; range_ < MinRange; range_ <<= 8) code_ = code_ << 8 | next_byte();
    return bit;
  }
  /// Whether the decoder has read beyond the last byte.
  [[nodiscard]] bool failed() const { return at_ > bytes_.size(); }

 private:
  [[nodiscard]] std::uint8_t next_byte() {
    const std::size_t at = at_++;
    return at < bytes_.size() ? static_cast<std::uint8_t>(bytes_[at]) : 0;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint32_t code_ = 0;
  std::uint32_t range_ = FullRange;
};

}  // namespace glyphreel::media
