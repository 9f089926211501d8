#include "present/export/image/animated_files.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace glyphreel::present {
namespace {

void append_little(std::string& bytes, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

void append_big(std::string& bytes, std::uint64_t value, int count) {
  for (int i = count - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

std::uint32_t read_big(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::uint32_t read_little(std::string_view bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return value;
}

/// Returns the CRC-32 of a PNG chunk's type and data.
std::uint32_t png_crc(std::string_view bytes) {
  static const auto Table = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t n = 0; n < table.size(); ++n) {
      std::uint32_t c = n;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320u ^ c >> 1 : c >> 1;
      table[n] = c;
    }
    return table;
  }();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = Table[(crc ^ static_cast<unsigned char>(c)) & 255] ^ crc >> 8;
  return ~crc;
}

std::string png_chunk(std::string_view type, std::string_view content) {
  std::string body(type);
  body += content;
  std::string chunk;
  append_big(chunk, content.size(), 4);
  chunk += body;
  append_big(chunk, png_crc(body), 4);
  return chunk;
}

constexpr std::size_t PngSignature = 8;
constexpr std::size_t PngChunkExtra = 12;  // length, type and CRC
constexpr std::size_t PngHeader = 13;      // content of IHDR

class Apng final : public AnimatedFile {
 public:
  std::string add(const AnimationFrame& frame) override {
    std::string bytes;
    if (frames_ == 0) {
      bytes = frame.still.substr(0, PngSignature + PngChunkExtra + PngHeader);
      bytes += animation_control(1);
    }
    ++frames_;
    bytes += png_chunk("fcTL", frame_control(frame));
    for (std::size_t at = PngSignature; at + PngChunkExtra <= frame.still.size();) {
      const std::size_t length = read_big(std::string_view(frame.still).substr(at));
      const std::string_view type = std::string_view(frame.still).substr(at + 4, 4);
      if (type == "IDAT" && frames_ == 1) {
        bytes += frame.still.substr(at, length + PngChunkExtra);
      } else if (type == "IDAT") {
        std::string content;
        append_big(content, sequence_++, 4);
        content += frame.still.substr(at + 8, length);
        bytes += png_chunk("fdAT", content);
      }
      at += length + PngChunkExtra;
    }
    return bytes;
  }

  FilePatch patch() const override {
    return {PngSignature + PngChunkExtra + PngHeader, animation_control(frames_)};
  }
  std::string end() const override { return png_chunk("IEND", {}); }

 private:
  static std::string animation_control(std::uint32_t frames) {
    std::string content;
    append_big(content, frames, 4);
    append_big(content, 0, 4);  // 0: plays forever
    return png_chunk("acTL", content);
  }

  std::string frame_control(const AnimationFrame& frame) {
    // A delay is a fraction of two 16-bit numbers.
    std::int64_t delay = frame.delay_ms;
    std::uint64_t denominator = 1000;
    for (; delay > 65535 && denominator > 1; denominator /= 10) delay = (delay + 5) / 10;
    delay = std::min<std::int64_t>(delay, 65535);
    std::string content;
    append_big(content, sequence_++, 4);
    for (const int value : {frame.area.size.width, frame.area.size.height, frame.area.x, frame.area.y})
      append_big(content, static_cast<std::uint64_t>(value), 4);
    append_big(content, static_cast<std::uint64_t>(delay), 2);
    append_big(content, denominator, 2);
    append_big(content, 0, 1);                         // the next frame is drawn over this one
    append_big(content, frame.is_overlay ? 1 : 0, 1);  // 1: blended over the previous frame
    return content;
  }

  std::uint32_t frames_ = 0;
  std::uint32_t sequence_ = 0;
};

class AnimatedWebp final : public AnimatedFile {
 public:
  explicit AnimatedWebp(Extent size) : size_(size) {}

  std::string add(const AnimationFrame& frame) override {
    std::string bytes;
    if (length_ == 0) bytes = header();
    std::string content;
    append_little(content, static_cast<std::uint64_t>(frame.area.x / 2), 3);
    append_little(content, static_cast<std::uint64_t>(frame.area.y / 2), 3);
    append_little(content, static_cast<std::uint64_t>(frame.area.size.width - 1), 3);
    append_little(content, static_cast<std::uint64_t>(frame.area.size.height - 1), 3);
    append_little(content, static_cast<std::uint64_t>(std::min<std::int64_t>(frame.delay_ms, 0xFFFFFF)), 3);
    append_little(content, frame.is_overlay ? 0 : 2, 1);  // 2: without blending
    append_picture(content, frame.still);
    append_chunk(bytes, "ANMF", content);
    length_ += bytes.size();
    return bytes;
  }

  std::uint64_t max_bytes() const override { return UINT32_MAX; }  // RIFF stores lengths in 32 bits
  FilePatch patch() const override {
    FilePatch patch{.at = 4, .bytes = {}};
    append_little(patch.bytes, length_ - RiffHead, 4);
    return patch;
  }

 private:
  static constexpr std::size_t RiffHead = 8;  // "RIFF" and the length of what follows

  static void append_chunk(std::string& bytes, std::string_view type, std::string_view content) {
    bytes += type;
    append_little(bytes, content.size(), 4);
    bytes += content;
    if (content.size() % 2 != 0) bytes += '\0';
  }

  /// Appends the image data of a still .webp file.
  static void append_picture(std::string& bytes, std::string_view still) {
    for (std::size_t at = RiffHead + 4; at + 8 <= still.size();) {
      const std::string_view type = still.substr(at, 4);
      const std::size_t length = read_little(still.substr(at + 4));
      if (type == "VP8L" || type == "VP8 " || type == "ALPH")
        append_chunk(bytes, type, still.substr(at + 8, length));
      at += 8 + length + length % 2;
    }
  }

  [[nodiscard]] std::string header() const {
    std::string bytes = "RIFF";
    append_little(bytes, 0, 4);  // replaced by patch()
    bytes += "WEBP";
    std::string extended;
    append_little(extended, 0x12, 4);  // animation, alpha
    append_little(extended, static_cast<std::uint64_t>(size_.width - 1), 3);
    append_little(extended, static_cast<std::uint64_t>(size_.height - 1), 3);
    append_chunk(bytes, "VP8X", extended);
    append_chunk(bytes, "ANIM", std::string(6, '\0'));  // transparent background; plays forever
    return bytes;
  }

  const Extent size_;
  std::size_t length_ = 0;
};

}  // namespace

std::unique_ptr<AnimatedFile> make_apng() {
  return std::make_unique<Apng>();
}

std::unique_ptr<AnimatedFile> make_animated_webp(Extent size) {
  return std::make_unique<AnimatedWebp>(size);
}

}  // namespace glyphreel::present
