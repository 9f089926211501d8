#include "media/still/picture_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

extern "C" {
#include <libavutil/intreadwrite.h>
}

namespace glyphreel::media {
namespace {

constexpr std::size_t MaxRead = 8U << 20U;

using Bytes = std::span<const std::uint8_t>;

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// Converts a play count to an int. Counts above 65536 become 65536.
int plays(std::uint32_t count) {
  return static_cast<int>(std::min<std::uint32_t>(count, 65536));
}

/// Parses a GIF file, which consists of a header, a color table and blocks. A block is a picture or an
/// extension; both contain sub-blocks. Source: the GIF89a specification, "Grammar".
std::optional<Animation> read_gif(Bytes file) {
  constexpr std::size_t ScreenEnd = 13;
  constexpr std::uint8_t HasTable = 0x80;
  const auto table_size = [](std::uint8_t flags) -> std::size_t {
    return (flags & HasTable) != 0 ? std::size_t{3} << ((flags & 7U) + 1U) : 0;
  };
  if (file.size() < ScreenEnd) return {};
  Animation animation;
  int pictures = 0;
  std::size_t at = ScreenEnd + table_size(file[10]);
  while (at + 2 < file.size() && pictures < 2) {
    const std::uint8_t block = file[at];
    if (block == 0x2C) {  // a picture: a 10-byte header, a color table, the LZW code size
      ++pictures;
      if (at + 10 >= file.size()) break;
      at += 10 + table_size(file[at + 9]) + 1;
    } else if (block == 0x21) {  // an extension with a label
      constexpr std::string_view Netscape = "\x0BNETSCAPE2.0\x03\x01";
      const Bytes extension = file.subspan(at + 2);
      if (file[at + 1] == 0xFF && starts_with(extension, Netscape) &&
          extension.size() >= Netscape.size() + 2) {
        const std::uint32_t repeats = AV_RL16(&extension[Netscape.size()]);
        // The first play does not count as a repeat.
        animation.play_count = repeats == 0 ? 0 : plays(repeats + 1);
      }
      at += 2;
    } else {
      break;
    }
    while (at < file.size() && file[at] != 0) at += std::size_t{file[at]} + 1;
    ++at;
  }
  // If a picture extends beyond the bytes read, assume that more pictures follow: only decoding can show
  // whether they do.
  animation.has_several_pictures = pictures > 1 || at > file.size();
  return animation;
}

/// Parses a PNG file's "acTL" chunk, which precedes the first picture and contains the number of pictures and
/// the number of plays.
std::optional<Animation> read_png(Bytes file) {
  Animation animation;
  for (std::size_t at = 8; at + 16 <= file.size();) {
    const Bytes chunk = file.subspan(at);
    if (starts_with(chunk.subspan(4), "IDAT")) break;
    if (starts_with(chunk.subspan(4), "acTL")) {
      animation.has_several_pictures = AV_RB32(&chunk[8]) > 1;
      animation.play_count = plays(AV_RB32(&chunk[12]));
      break;
    }
    at += std::size_t{AV_RB32(chunk.data())} + 12;
  }
  return animation;
}

}  // namespace

std::optional<Animation> read_animation(std::span<const std::uint8_t> file) {
  if (starts_with(file, "GIF8")) return read_gif(file);
  if (starts_with(file, "\x89PNG\r\n\x1A\n")) return read_png(file);
  return {};
}

std::optional<Animation> read_animation_of(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};  // opening a FIFO would wait for a writer
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> bytes(16);
  const auto read_more = [&](std::size_t from) {
    file.read(reinterpret_cast<char*>(bytes.data() + from),
              static_cast<std::streamsize>(bytes.size() - from));
    bytes.resize(from + static_cast<std::size_t>(file.gcount()));
  };
  read_more(0);
  if (!read_animation(bytes) && !starts_with(bytes, "GIF8")) return {};  // neither a GIF nor a PNG file
  const std::size_t head = bytes.size();
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  // Allocate no more than the file's size: clearing MaxRead bytes takes longer than reading a small file.
  bytes.resize(ignored ? MaxRead : std::clamp<std::uintmax_t>(size, head, MaxRead));
  read_more(head);
  return read_animation(bytes);
}

}  // namespace glyphreel::media
