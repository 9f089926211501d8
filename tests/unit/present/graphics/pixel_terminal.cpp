#include "pixel_terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>

extern "C" {
#include <libavutil/base64.h>
}

namespace glyphreel::present::testing {
namespace {

std::string decoded_base64(const std::string& text) {
  std::string bytes(AV_BASE64_DECODE_SIZE(text.size()), '\0');
  const int size = av_base64_decode(reinterpret_cast<std::uint8_t*>(bytes.data()), text.c_str(),
                                    static_cast<int>(bytes.size()));
  EXPECT_GE(size, 0) << "no base64";
  bytes.resize(static_cast<std::size_t>(std::max(0, size)));
  return bytes;
}

std::string inflated(const std::string& bytes, std::size_t size) {
  std::string result(size, '\0');
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  EXPECT_EQ(
      libdeflate_zlib_decompress(decompressor, bytes.data(), bytes.size(), result.data(), size, nullptr),
      LIBDEFLATE_SUCCESS);
  libdeflate_free_decompressor(decompressor);
  return result;
}

/// Reads and removes a shared memory object, as terminals do.
std::string shared(const std::string& name, std::size_t size) {
  std::string result(size, '\0');
  const int file = shm_open(name.c_str(), O_RDONLY, 0);
  EXPECT_GE(file, 0) << name;
  EXPECT_EQ(::read(file, result.data(), size), static_cast<ssize_t>(size));
  ::close(file);
  shm_unlink(name.c_str());
  return result;
}

int take_number(std::string_view& text) {
  int number = 0;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    number = number * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return number;
}

std::vector<int> take_numbers(std::string_view& text) {
  std::vector<int> numbers{take_number(text)};
  while (!text.empty() && text.front() == ';') {
    text.remove_prefix(1);
    numbers.push_back(take_number(text));
  }
  return numbers;
}

}  // namespace

std::uint32_t PixelTerminal::pixel(int x, int y) const {
  std::uint32_t color = canvas_[static_cast<std::size_t>(y) * area().width + x];
  for (const auto& numbered : images_) {
    const Image& image = numbered.second;
    const int column = x - image.x;
    const int row = y - image.y;
    if (column < 0 || row < 0 || column >= image.size.width || row >= image.size.height) continue;
    const auto at = (static_cast<std::size_t>(row) * image.size.width + column) * 3;
    const auto part = [&](std::size_t i) {
      return std::uint32_t{static_cast<unsigned char>(image.pixels[at + i])};
    };
    color = 0xFF000000 | part(0) << 16 | part(1) << 8 | part(2);
  }
  return color;
}

void PixelTerminal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ASSERT_TRUE(bytes.size() > 2 && bytes[0] == '\x1b') << "text among the graphics";
    const char kind = bytes[1];
    bytes.remove_prefix(2);
    if (kind == '[') {
      const std::size_t end = bytes.find_first_not_of("0123456789;?");
      ASSERT_NE(end, std::string_view::npos);
      run_control(bytes.substr(0, end), bytes[end]);
      bytes.remove_prefix(end + 1);
      continue;
    }
    ASSERT_TRUE(kind == '_' || kind == 'P') << kind;
    const std::size_t end = bytes.find("\x1b\\");
    ASSERT_NE(end, std::string_view::npos) << "an unterminated string";
    if (kind == '_')
      run_graphics(bytes.substr(0, end));
    else
      run_sixels(bytes.substr(0, end));
    bytes.remove_prefix(end + 2);
  }
}

void PixelTerminal::run_control(std::string_view parameters, char final) {
  if (final == 'h' || final == 'l') {
    EXPECT_EQ(parameters, "?2026");
  } else if (final == 'J') {
    EXPECT_EQ(parameters, "2");
    clear();
  } else if (final == 'H') {
    const std::vector<int> numbers = take_numbers(parameters);
    cursor_ = numbers.size() == 2 ? ScreenPosition{numbers[1] - 1, numbers[0] - 1} : ScreenPosition{};
  } else {
    EXPECT_EQ(final, 'm');
  }
}

void PixelTerminal::run_graphics(std::string_view command) {
  ASSERT_TRUE(command.starts_with('G'));
  command.remove_prefix(1);
  const std::size_t end = std::min(command.find(';'), command.size());
  Keys keys;
  for (std::string_view rest = command.substr(0, end); !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    keys[std::string(pair.substr(0, 1))] = pair.substr(2);
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  EXPECT_EQ(keys["q"], "2") << "the terminal must not answer";
  if (keys["a"] == "d") {
    if (keys["d"] == "A") images_.clear();
    if (keys["d"] == "I") {
      EXPECT_EQ(images_.erase(std::atoi(keys["i"].c_str())), 1u) << "no such image";
    }
    return;
  }
  const std::string_view payload = command.substr(std::min(command.size(), end + 1));
  longest_payload_ = std::max(longest_payload_, payload.size());
  if (payload_.empty()) transmitted_ = keys;
  payload_ += payload;
  if (keys["m"] == "1") return;
  show_image(transmitted_, payload_);
  payload_.clear();
}

void PixelTerminal::show_image(const Keys& keys, const std::string& payload) {
  const auto value = [&](const char* key) {
    const auto found = keys.find(key);
    return found == keys.end() ? std::string() : found->second;
  };
  EXPECT_EQ(value("a"), "T");
  EXPECT_EQ(value("f"), "24");
  EXPECT_EQ(value("C"), "1") << "the cursor must not move";
  Image image{.x = left(),
              .y = top(),
              .size = {std::atoi(value("s").c_str()), std::atoi(value("v").c_str())},
              .pixels = {}};
  const std::size_t size = static_cast<std::size_t>(image.size.width) * image.size.height * 3;
  if (value("t") == "s") {
    EXPECT_EQ(value("S"), std::to_string(size));
    image.pixels = shared(decoded_base64(payload), size);
  } else {
    EXPECT_EQ(value("o"), "z");
    image.pixels = inflated(decoded_base64(payload), size);
  }
  images_[std::atoi(value("i").c_str())] = std::move(image);
}

void PixelTerminal::run_sixels(std::string_view sixels) {
  ASSERT_TRUE(sixels.starts_with("0;1q\""));
  sixels.remove_prefix(5);
  const std::vector<int> raster = take_numbers(sixels);
  ASSERT_EQ(raster.size(), 4u);
  sixels_ = {raster[2], raster[3]};
  ASSERT_LT(top() + sixels_.height, area().height) << "would scroll";
  registers_.clear();
  std::uint32_t color = 0;
  int x = 0;
  int y = 0;
  while (!sixels.empty()) {
    const char command = sixels.front();
    sixels.remove_prefix(1);
    if (command == '$') {
      x = 0;
    } else if (command == '-') {
      x = 0;
      y += 6;
    } else if (command == '#') {
      const std::vector<int> numbers = take_numbers(sixels);
      if (numbers.size() == 5) {
        const auto part = [&](std::size_t i) {
          return static_cast<std::uint32_t>((numbers[i] * 255 + 50) / 100);
        };
        registers_[numbers[0]] = 0xFF000000 | part(2) << 16 | part(3) << 8 | part(4);
      } else {
        ASSERT_TRUE(registers_.contains(numbers[0]));
        color = registers_[numbers[0]];
      }
    } else {
      const int length = command == '!' ? take_number(sixels) : 1;
      const char sixel = command == '!' ? sixels.front() : command;
      if (command == '!') sixels.remove_prefix(1);
      ASSERT_TRUE(sixel >= '?' && sixel <= '~') << sixel;
      for (int i = 0; i < length; ++i, ++x) {
        ASSERT_LT(x, sixels_.width);
        for (int bit = 0; bit < 6; ++bit) {
          if (((sixel - '?') >> bit & 1) == 0) continue;
          ASSERT_LT(y + bit, sixels_.height);
          canvas_[static_cast<std::size_t>(top() + y + bit) * area().width + left() + x] = color;
        }
      }
    }
  }
}

}  // namespace glyphreel::present::testing
