#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "text/code_points/unicode.h"
#include "text/glyph_set.h"

namespace glyphreel::present::testing {

/// Emulates a terminal. Accepts only the escape sequences that the player sends. Aborts on all others, and on
/// sequences that terminals interpret differently, such as relative cursor movement after the last column was
/// written. Leaves garbage if half of a wide character is overwritten, as some real terminals do.
class Emulator {
 public:
  /// The content of one cell. A color is the index of one of the 16 ANSI colors, or the SGR parameters after
  /// 38 or 48, such as "2;255;0;0". "" is the terminal's default color.
  struct Spot {
    char32_t character = U' ';
    std::string foreground, background;
    bool operator==(const Spot&) const = default;
  };
  static constexpr char32_t RightHalf = 0xFFFF;
  static constexpr char32_t Rubbish = U'?';

  Emulator(GridSize size, bool back_color_erase) : back_color_erase_(back_color_erase) { resize(size); }

  /// Sets the size and replaces the screen content with garbage.
  void resize(GridSize size) {
    size_ = size;
    spots_.assign(static_cast<std::size_t>(size.cells()), {Rubbish, "", ""});
    row_ = column_ = 0;
    wrap_ = false;
  }
  [[nodiscard]] const Spot& at(int column, int row) const { return spots_[index(column, row)]; }
  [[nodiscard]] bool is_plain() const { return foreground_.empty() && background_.empty() && !reversed_; }
  [[nodiscard]] bool in_update() const { return updating_; }
  [[nodiscard]] int printed() const { return printed_; }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      std::size_t length = 1;
      if (bytes[0] == '\x1b') {
        CHECK(bytes.size() > 2 && bytes[1] == '[', "not a control sequence");
        length = 2;
        while (bytes[length] < 0x40) ++length;
        control(std::string(bytes.substr(2, length - 2)), bytes[length]);
        ++length;
      } else if (bytes[0] == '\r') {
        column_ = 0;
        wrap_ = false;
      } else if (bytes[0] == '\n') {
        CHECK(row_ + 1 < size_.rows, "the screen would scroll");
        ++row_;
      } else {
        while (length < bytes.size() && (static_cast<unsigned char>(bytes[length]) & 0xC0) == 0x80) ++length;
        const auto decoded = text::decode_utf8(std::string(bytes.substr(0, length)));
        CHECK(decoded && decoded->size() == 1, "not valid UTF-8");
        print(decoded->front());
      }
      bytes.remove_prefix(length);
    }
  }

 private:
  [[nodiscard]] std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
           static_cast<std::size_t>(column);
  }

  void control(std::string text, char final) {
    if (text.starts_with('?')) {
      CHECK(text == "?2026" && (final == 'h' || final == 'l'), "a mode other than synchronized update");
      CHECK(updating_ == (final == 'l'), "unbalanced synchronized updates");
      updating_ = final == 'h';
      return;
    }
    std::vector<int> numbers;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(';', at), text.size());
      numbers.push_back(end == at ? -1 : std::stoi(text.substr(at, end - at)));
      at = end + 1;
    }
    const auto number = [&](std::size_t i) { return i < numbers.size() && numbers[i] > 0 ? numbers[i] : 1; };
    switch (final) {
      case 'H':
        row_ = number(0) - 1;
        column_ = number(1) - 1;
        wrap_ = false;
        CHECK(row_ < size_.rows && column_ < size_.columns, "the cursor would leave the screen");
        break;
      case 'C':
        CHECK(!wrap_, "a relative move after the last column was written");
        column_ += number(0);
        CHECK(column_ < size_.columns, "the cursor would leave the row");
        break;
      case 'K':
        CHECK(numbers[0] <= 0 && !wrap_, "an unsupported way to erase a row");
        erase(column_, size_.columns);
        break;
      case 'X':
        CHECK(!wrap_ && column_ + number(0) <= size_.columns, "an erasure beyond the row");
        erase(column_, column_ + number(0));
        break;
      case 'J': {
        CHECK(text == "2", "an unsupported way to erase the screen");
        const int row = row_;
        for (row_ = 0; row_ < size_.rows; ++row_) erase(0, size_.columns);
        row_ = row;
        break;
      }
      case 'm':
        style(numbers);
        break;
      default:
        CHECK(false, "an unknown control sequence");
    }
  }

  void style(const std::vector<int>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const int n = numbers[i];
      std::string& color =
          n == 38 || n == 39 || (n >= 30 && n <= 37) || (n >= 90 && n <= 97) ? foreground_ : background_;
      if (n <= 0) {
        foreground_ = background_ = "";
        reversed_ = false;
      } else if (n == 7 || n == 27) {
        reversed_ = n == 7;
      } else if (n == 39 || n == 49) {
        color.clear();
      } else if (n == 38 || n == 48) {
        const std::size_t count = numbers.at(i + 1) == 2 ? 4 : 2;
        color.clear();
        for (std::size_t k = 1; k <= count; ++k)
          color += (k > 1 ? ";" : "") + std::to_string(numbers.at(i + k));
        i += count;
      } else {
        CHECK((n >= 30 && n <= 47) || (n >= 90 && n <= 107), "an unknown SGR attribute");
        color = std::to_string(n % 10 + (n >= 90 ? 8 : 0));
      }
    }
  }

  void break_wide(int column) {
    Spot& spot = spots_[index(column, row_)];
    if (spot.character == RightHalf && column > 0) spots_[index(column - 1, row_)].character = Rubbish;
    if (column + 1 < size_.columns && spots_[index(column + 1, row_)].character == RightHalf) {
      spots_[index(column + 1, row_)].character = Rubbish;
    }
  }

  void set(int column, const Spot& spot) {
    break_wide(column);
    spots_[index(column, row_)] = spot;
  }

  void erase(int from, int to) {
    CHECK(!reversed_ || !back_color_erase_, "in reverse video, terminals erase with different colors");
    for (int i = from; i < to; ++i) set(i, {U' ', "", back_color_erase_ ? background_ : ""});
  }

  void print(char32_t character) {
    CHECK(character >= 0x20 && character != 0x7F, "a control character was printed");
    const bool wide = text::is_wide(character);
    CHECK(!wrap_ && column_ + (wide ? 2 : 1) <= size_.columns, "the row would wrap");
    ++printed_;
    const Spot spot{character, reversed_ ? background_ : foreground_, reversed_ ? foreground_ : background_};
    set(column_, spot);
    if (wide) {
      set(column_ + 1, {U' ', spot.foreground, spot.background});
      spots_[index(column_, row_)] = spot;
      spots_[index(column_ + 1, row_)].character = RightHalf;
      ++column_;
    }
    if (column_ + 1 == size_.columns)
      wrap_ = true;
    else
      ++column_;
  }

  GridSize size_;
  bool back_color_erase_;
  std::vector<Spot> spots_;
  int row_ = 0, column_ = 0;
  bool wrap_ = false;  ///< whether the last column was written, so the next character would wrap
  std::string foreground_, background_;
  bool reversed_ = false;
  bool updating_ = false;
  int printed_ = 0;
};

}  // namespace glyphreel::present::testing
