#include "present/export/image/gif_lzw.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "base/result.h"

namespace glyphreel::present {
namespace {

constexpr int MaxCodes = 4096;
constexpr std::size_t MaxBlock = 255;
constexpr int HalfFull = MaxCodes / 2;
constexpr std::size_t MaxMatches = 16;  // strings that longest_match() extends at the same time

/// Packs codes into bytes, lowest bits first, and bytes into sub-blocks.
class CodeWriter {
 public:
  explicit CodeWriter(std::string& bytes) : bytes_(bytes) {}
  void put(int code, int bits) {
    held_ |= static_cast<std::uint32_t>(code) << count_;
    count_ += bits;
    while (count_ >= 8) {
      add(static_cast<char>(held_ & 255));
      held_ >>= 8;
      count_ -= 8;
    }
  }
  void end() {
    if (count_ > 0) add(static_cast<char>(held_ & 255));
    flush();
    bytes_ += '\0';
  }

 private:
  void add(char byte) {
    block_ += byte;
    if (block_.size() == MaxBlock) flush();
  }
  void flush() {
    if (block_.empty()) return;
    bytes_ += static_cast<char>(block_.size());
    bytes_ += block_;
    block_.clear();
  }

  std::string& bytes_;
  std::string block_;
  std::uint32_t held_ = 0;
  int count_ = 0;
};

/// The strings of the dictionary, as a tree: each code has a child for each index that continues its string.
class Dictionary {
 public:
  explicit Dictionary(int bits) : symbols_(std::size_t{1} << bits), children_(MaxCodes * symbols_) {
    reset();
  }
  [[nodiscard]] int clear_code() const { return static_cast<int>(symbols_); }
  [[nodiscard]] int next() const { return next_; }
  void reset() {
    next_ = clear_code() + 2;
    std::fill(children_.begin(), children_.begin() + static_cast<std::ptrdiff_t>(symbols_ * symbols_),
              std::int16_t{0});
  }
  [[nodiscard]] int child(int code, int symbol) const { return children_[place(code, symbol)]; }
  /// Returns the code of the string without its last index. `code` must have more than one index.
  [[nodiscard]] int parent(int code) const { return parents_[static_cast<std::size_t>(code)].code; }
  /// Gives the next code to the string of `code` and `symbol`. If that string already has a code, keeps it.
  void add(int code, int symbol) {
    std::int16_t& child = children_[place(code, symbol)];
    if (child == 0) child = static_cast<std::int16_t>(next_);
    parents_[static_cast<std::size_t>(next_)] = {static_cast<std::int16_t>(code),
                                                 static_cast<std::uint8_t>(symbol)};
    const auto row = children_.begin() + static_cast<std::ptrdiff_t>(place(next_, 0));
    std::fill(row, row + static_cast<std::ptrdiff_t>(symbols_), std::int16_t{0});
    ++next_;
  }
  /// Appends the string of indices that `code` represents to `indices`.
  void append(int code, std::vector<std::uint8_t>& indices) const {
    const std::size_t start = indices.size();
    for (; code > clear_code(); code = parents_[static_cast<std::size_t>(code)].code)
      indices.push_back(parents_[static_cast<std::size_t>(code)].symbol);
    indices.push_back(static_cast<std::uint8_t>(code));
    std::reverse(indices.begin() + static_cast<std::ptrdiff_t>(start), indices.end());
  }

 private:
  struct Parent {
    std::int16_t code = 0;
    std::uint8_t symbol = 0;
  };
  [[nodiscard]] std::size_t place(int code, int symbol) const {
    return static_cast<std::size_t>(code) * symbols_ + static_cast<std::size_t>(symbol);
  }
  std::size_t symbols_;
  std::vector<std::int16_t> children_;  ///< 0: none
  std::array<Parent, MaxCodes> parents_{};
  int next_ = 0;
};

/// A string of the dictionary that matches pixels.
struct Match {
  int code = 0;
  int first = 0;        ///< the string's first index
  std::size_t end = 0;  ///< the first pixel after the string
};
struct Matches {
  std::array<Match, MaxMatches> all{};
  std::size_t count = 0;
  void add(Match match) {
    if (count < MaxMatches) all[count++] = match;
  }
};

/// The indices that pixels may be written as.
struct Choices {
  int transparent = -1;
  std::span<const std::vector<std::uint8_t>> alternatives;

  /// Calls `use` with each index that `pixel` may be written as.
  void for_each(const GifPixel& pixel, auto&& use) const {
    if (pixel.may_be_transparent && transparent >= 0) use(transparent);
    if (pixel.color < 0) return;
    const auto color = static_cast<std::size_t>(pixel.color);
    use(static_cast<int>(pixel.color));
    if (!pixel.may_be_similar || color >= alternatives.size()) return;
    for (const std::uint8_t other : alternatives[color]) use(static_cast<int>(other));
  }
};

/// Returns the longest match found for the pixels from `at` on; empty if there are none. Extends at most
/// MaxMatches strings at a time, so a longer match may exist.
Match longest_match(const Dictionary& dictionary, std::span<const GifPixel> pixels, const Choices& choices,
                    std::size_t at) {
  if (at == pixels.size()) return {.end = at};
  Matches matches;
  choices.for_each(pixels[at++], [&](int index) { matches.add({index, index, at}); });
  for (; at < pixels.size(); ++at) {
    Matches longer;
    for (std::size_t i = 0; i < matches.count; ++i) {
      const Match& match = matches.all[i];
      choices.for_each(pixels[at], [&](int index) {
        if (const int child = dictionary.child(match.code, index); child != 0)
          longer.add({child, match.first, at + 1});
      });
    }
    if (longer.count == 0) break;
    matches = longer;
  }
  return matches.all[0];
}

}  // namespace

GifData gif_lzw(std::span<const GifPixel> pixels, int transparent, int bits,
                std::span<const std::vector<std::uint8_t>> alternatives) {
  GifData data{.bytes = std::string(1, static_cast<char>(bits)), .indices = {}};
  data.indices.reserve(pixels.size());
  const Choices choices{.transparent = transparent, .alternatives = alternatives};
  CodeWriter writer(data.bytes);
  Dictionary dictionary(bits);
  int code_bits = bits + 1;
  writer.put(dictionary.clear_code(), code_bits);
  // Add strings to the dictionary one code late, as a decoder does: after each code, add the previous code's
  // string plus the first index of this code's string. If a pixel may be written as several indices, this
  // first index is known only after longest_match() has chosen the code.
  int previous = -1;
  int extended = -1;  // the code whose string was extended last
  Match next;         // the longest match at `at` before that extension; its end is 0 if it is unknown
  for (std::size_t at = 0; at < pixels.size();) {
    Match match = next;
    if (next.end == 0 || next.code == extended) match = longest_match(dictionary, pixels, choices, at);
    next = longest_match(dictionary, pixels, choices, match.end);
    // If this code is one pixel shorter, the next one may be so much longer that both together cover more
    // pixels. But the dictionary may then get a string that it already has. While it is small, that costs
    // more than one pixel.
    if (match.end - at > 1) {
      const Match shorter{dictionary.parent(match.code), match.first, match.end - 1};
      const Match after = longest_match(dictionary, pixels, choices, shorter.end);
      if (after.end > next.end + (dictionary.next() < HalfFull ? 1 : 0)) {
        match = shorter;
        next = after;
      }
    }
    CHECK(match.end > at, "a pixel of a GIF has no index");
    at = match.end;
    dictionary.append(match.code, data.indices);
    writer.put(match.code, code_bits);
    if (previous >= 0) dictionary.add(previous, match.first);
    extended = previous;
    previous = match.code;
    if (dictionary.next() == MaxCodes) {
      writer.put(dictionary.clear_code(), code_bits);
      dictionary.reset();
      code_bits = bits + 1;
      previous = -1;
      next = {};
    } else if (dictionary.next() == 1 << code_bits) {
      ++code_bits;
    }
  }
  writer.put(dictionary.clear_code() + 1, code_bits);
  writer.end();
  return data;
}

}  // namespace glyphreel::present
