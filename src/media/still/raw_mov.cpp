#include "media/still/raw_mov.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

namespace glyphreel::media {
namespace {

constexpr std::uint32_t TicksPerSecond = 1000;
constexpr std::uint32_t Version1 = 0x01000000;  // for boxes with times: 64-bit times
constexpr std::uint64_t UnitMatrix[] = {0x00010000, 0, 0, 0, 0x00010000, 0, 0, 0, 0x40000000};

/// Writes nested boxes as in the QuickTime File Format Specification.
class BoxWriter {
 public:
  void number(std::uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  }
  void text(std::string_view characters) {
    for (const char character : characters) bytes_.push_back(static_cast<std::uint8_t>(character));
  }
  void zeros(std::size_t count) { bytes_.insert(bytes_.end(), count, 0); }
  void matrix() {
    for (const std::uint64_t value : UnitMatrix) number(value, 4);
  }
  /// `content` writes the box's contents.
  template <typename Content>
  void box(std::string_view type, Content content) {
    const std::size_t start = bytes_.size();
    zeros(4);
    text(type);
    content();
    overwrite(start, bytes_.size() - start, 4);
  }
  void overwrite(std::size_t at, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_[at++] = static_cast<std::uint8_t>(value >> 8 * (bytes - 1 - i));
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

void write_picture_format(BoxWriter& to, Extent size) {
  to.box("RGBA", [&] {
    to.zeros(6);
    to.number(1, 2);  // index of the data reference
    to.zeros(16);
    to.number(static_cast<std::uint64_t>(size.width), 2);
    to.number(static_cast<std::uint64_t>(size.height), 2);
    to.number(0x00480000, 4);  // 72 dpi
    to.number(0x00480000, 4);
    to.zeros(4);
    to.number(1, 2);  // picture per sample
    to.zeros(32);
    to.number(32, 2);      // bits per pixel
    to.number(0xFFFF, 2);  // no color table
  });
}

/// Writes the runs of pictures with the same duration.
void write_durations(BoxWriter& to, std::span<const std::uint32_t> durations) {
  to.box("stts", [&] {
    to.zeros(4);
    const std::size_t count_at = to.size();
    to.zeros(4);
    std::uint32_t runs = 0;
    for (auto start = durations.begin(); start != durations.end(); ++runs) {
      const auto end =
          std::find_if(start, durations.end(), [&](std::uint32_t other) { return other != *start; });
      to.number(static_cast<std::uint64_t>(end - start), 4);
      to.number(*start, 4);
      start = end;
    }
    to.overwrite(count_at, runs, 4);
  });
}

/// Writes where the pictures lie and when they are shown. Returns the position of the first picture's
/// offset.
std::size_t write_sample_table(BoxWriter& to, Extent size, std::span<const std::uint32_t> durations,
                               std::uint64_t picture_bytes) {
  std::size_t offset_at = 0;
  to.box("stbl", [&] {
    to.box("stsd", [&] {
      to.number(1, 8);
      write_picture_format(to, size);
    });
    write_durations(to, durations);
    to.box("stsc", [&] {  // all pictures in one chunk
      to.number(1, 8);
      to.number(1, 4);
      to.number(durations.size(), 4);
      to.number(1, 4);
    });
    to.box("stsz", [&] {
      to.zeros(4);
      to.number(picture_bytes, 4);
      to.number(durations.size(), 4);
    });
    to.box("co64", [&] {
      to.number(1, 8);
      offset_at = to.size();
      to.zeros(8);
    });
  });
  return offset_at;
}

}  // namespace

std::vector<std::uint8_t> raw_film_head(Extent size, std::span<const std::uint32_t> durations_ms) {
  const std::uint64_t duration = std::accumulate(durations_ms.begin(), durations_ms.end(), std::uint64_t{0});
  const std::uint64_t picture_bytes =
      std::uint64_t{4} * static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  std::size_t offset_at = 0;
  BoxWriter to;
  to.box("ftyp", [&] {
    to.text("qt  ");
    to.number(0x200, 4);
    to.text("qt  ");
  });
  to.box("moov", [&] {
    to.box("mvhd", [&] {
      to.number(Version1, 4);
      to.zeros(16);
      to.number(TicksPerSecond, 4);
      to.number(duration, 8);
      to.number(0x00010000, 4);  // playback rate
      to.number(0x0100, 2);      // volume
      to.zeros(10);
      to.matrix();
      to.zeros(24);
      to.number(2, 4);  // the next track's ID
    });
    to.box("trak", [&] {
      to.box("tkhd", [&] {
        to.number(Version1 | 3U, 4);  // track enabled, in movie
        to.zeros(16);
        to.number(1, 4);
        to.zeros(4);
        to.number(duration, 8);
        to.zeros(16);
        to.matrix();
        to.number(static_cast<std::uint64_t>(size.width) << 16U, 4);
        to.number(static_cast<std::uint64_t>(size.height) << 16U, 4);
      });
      to.box("mdia", [&] {
        to.box("mdhd", [&] {
          to.number(Version1, 4);
          to.zeros(16);
          to.number(TicksPerSecond, 4);
          to.number(duration, 8);
          to.number(0x55C4, 2);  // no language
          to.zeros(2);
        });
        to.box("hdlr", [&] {
          to.zeros(4);
          to.text("mhlrvide");
          to.zeros(13);
        });
        to.box("minf", [&] {
          to.box("vmhd", [&] {
            to.number(1, 4);
            to.zeros(8);
          });
          to.box("dinf", [&] {
            to.box("dref", [&] {
              to.number(1, 8);
              to.box("url ", [&] { to.number(1, 4); });  // the pictures are in this file
            });
          });
          offset_at = write_sample_table(to, size, durations_ms, picture_bytes);
        });
      });
    });
  });
  constexpr std::uint64_t LongBoxHeader = 16;
  to.number(1, 4);  // the 64-bit size follows
  to.text("mdat");
  to.number(LongBoxHeader + picture_bytes * durations_ms.size(), 8);
  to.overwrite(offset_at, to.size(), 8);
  return to.take();
}

}  // namespace glyphreel::media
