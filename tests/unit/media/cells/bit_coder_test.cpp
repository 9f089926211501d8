#include "media/cells/bit_coder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace glyphreel::media::bit_coder_test {
namespace {

/// Returns random bits, each of which is 1 with a probability of `ones` / 1000.
std::vector<bool> random_bits(int count, unsigned ones) {
  std::mt19937 random(5);
  std::vector<bool> bits;
  for (int i = 0; i < count; ++i) bits.push_back(random() % 1000 < ones);
  return bits;
}

TEST(BitCoder, RestoresBitsAtAnyProbability) {
  // Sequences of improbable bits cause carries that propagate far back.
  for (const int probability : {1, 2, 2048, 4094, 4095}) {
    for (const unsigned ones : {0U, 1U, 500U, 999U, 1000U}) {
      const std::vector<bool> bits = random_bits(20000, ones);
      BitEncoder encoder;
      for (const bool bit : bits) encoder.code(probability, bit);
      const std::string bytes = encoder.finish();
      BitDecoder decoder(bytes);
      for (std::size_t i = 0; i < bits.size(); ++i)
        ASSERT_EQ(decoder.code(probability, false), bits[i]) << i << " at " << probability << ", " << ones;
      EXPECT_FALSE(decoder.failed());
    }
  }
}

TEST(BitCoder, MissingBytesAreNoticed) {
  const std::vector<bool> bits = random_bits(1000, 500);
  BitEncoder encoder;
  for (const bool bit : bits) encoder.code(2048, bit);
  const std::string bytes = encoder.finish();
  BitDecoder decoder(std::string_view(bytes).substr(0, bytes.size() - 1));
  for (std::size_t i = 0; i < bits.size(); ++i) decoder.code(2048, false);
  EXPECT_TRUE(decoder.failed());
}

TEST(BitCoder, ModelsLearnProbabilities) {
  constexpr int Count = 50000;
  for (const unsigned ones : {2U, 50U, 500U, 990U}) {
    BitEncoder encoder;
    BitModel model;
    for (const bool bit : random_bits(Count, ones)) code_bit(encoder, model, bit);
    const double p = ones / 1000.0;
    const double entropy = Count / 8.0 * (-p * std::log2(p) - (1 - p) * std::log2(1 - p));
    const auto size = static_cast<double>(encoder.finish().size());
    EXPECT_GT(size, 0.98 * entropy - 10);
    EXPECT_LT(size, 1.2 * entropy + 40) << ones;
  }
}

TEST(BitCoder, MixersPreferTheModelThatKnowsMore) {
  BitEncoder mixed, alone;
  std::array<BitModel, 2> by_value, by_noise;
  BitModel single;
  BitMixer mixer;
  const std::vector<bool> noise = random_bits(20000, 500);
  const std::vector<bool> errors = random_bits(20000, 30);
  bool last = false;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const bool bit = last != errors[i];  // usually equals the previous bit
    mixer.code(mixed, {&by_noise[noise[i] ? 1 : 0], &by_value[last ? 1 : 0]}, bit);
    code_bit(alone, single, bit);
    last = bit;
  }
  EXPECT_LT(2 * mixed.finish().size(), alone.finish().size());
}

TEST(BitCoder, LogitsInvertProbabilities) {
  for (int p = 2; p < 4095; ++p)
    EXPECT_NEAR(bit_tables::probability_of(bit_tables::Logits[static_cast<std::size_t>(p)]), p, 6) << p;
}

}  // namespace
}  // namespace glyphreel::media::bit_coder_test
