#include "media/still/webp_layout.h"

#include <fmt/format.h>
#include <webp/decode.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace glyphreel::media {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t FileHeader = 12;       // "RIFF", size, "WEBP"
constexpr std::size_t ChunkHeader = 8;       // type, size
constexpr std::size_t PictureHeader = 16;    // of ANMF, before the picture's own chunks
constexpr std::uint8_t IsAnimated = 0x02;    // VP8X
constexpr std::uint8_t HasAlpha = 0x10;      // VP8X
constexpr std::uint8_t DoNotBlend = 0x02;    // ANMF
constexpr std::uint8_t DisposeAfter = 0x01;  // ANMF

bool is_at(Bytes bytes, std::size_t at, std::string_view type) {
  return bytes.size() >= at + type.size() && std::memcmp(bytes.data() + at, type.data(), type.size()) == 0;
}

std::uint32_t read_16(Bytes bytes, std::size_t at) {
  return bytes[at] | std::uint32_t{bytes[at + 1]} << 8U;
}
std::uint32_t read_24(Bytes bytes, std::size_t at) {
  return read_16(bytes, at) | std::uint32_t{bytes[at + 2]} << 16U;
}
std::uint32_t read_32(Bytes bytes, std::size_t at) {
  return read_24(bytes, at) | std::uint32_t{bytes[at + 3]} << 24U;
}

void put(std::vector<std::uint8_t>& to, std::string_view type) {
  for (const char character : type) to.push_back(static_cast<std::uint8_t>(character));
}
void put(std::vector<std::uint8_t>& to, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

std::uint32_t shown_duration(std::uint32_t told_ms) {
  constexpr std::uint32_t MinHonoredDurationMs = 10;
  constexpr std::uint32_t Instead = 100;
  return told_ms <= MinHonoredDurationMs ? Instead : told_ms;
}

/// The properties of a picture that decide whether the next one is a key picture.
struct Traces {
  bool is_key = false;
  bool fills_canvas = false;
  bool is_disposed = false;
};

bool may_be_transparent(Bytes picture) {
  WebPBitstreamFeatures features;
  return WebPGetFeatures(picture.data(), picture.size(), &features) != VP8_STATUS_OK ||
         features.has_alpha != 0;
}

/// Follows WebPAnimDecoder, which starts with a clear canvas and clears it before a key picture.
bool is_key(const std::optional<Traces>& before, bool fills_canvas, bool is_blended) {
  if (!before || (fills_canvas && !is_blended)) return true;
  return before->is_disposed && (before->fills_canvas || before->is_key);
}

}  // namespace

bool is_animated_webp(Bytes head) {
  return is_at(head, 0, "RIFF") && is_at(head, 8, "WEBPVP8X") && head.size() >= WebpHeadBytes &&
         (head[20] & IsAnimated) != 0;
}

std::uint64_t webp_file_bytes(Bytes head) {
  return std::uint64_t{read_32(head, 4)} + ChunkHeader;
}

Result<WebpLayout> read_webp_layout(Bytes file, const std::string& name) {
  if (!is_animated_webp(file) || webp_file_bytes(file) > file.size()) return webp_damaged(name);
  file = file.first(static_cast<std::size_t>(webp_file_bytes(file)));
  WebpLayout layout;
  std::optional<Traces> before;
  for (std::size_t at = FileHeader; at + ChunkHeader <= file.size();) {
    const std::size_t size = read_32(file, at + 4);
    if (size > file.size() - at - ChunkHeader) return webp_damaged(name);
    const Bytes chunk = file.subspan(at + ChunkHeader, size);
    if (is_at(file, at, "VP8X")) {
      if (size < 10) return webp_damaged(name);
      const std::uint32_t width = read_24(chunk, 4) + 1;
      const std::uint32_t height = read_24(chunk, 7) + 1;
      if (width > WebpLimits::Side || height > WebpLimits::Side ||
          std::int64_t{width} * height > WebpLimits::Pixels)
        return webp_too_large(name);
      layout.canvas = {static_cast<int>(width), static_cast<int>(height)};
      layout.has_alpha = (chunk[0] & HasAlpha) != 0;
    } else if (is_at(file, at, "ANIM")) {
      if (size < 6) return webp_damaged(name);
      layout.play_count = static_cast<int>(read_16(chunk, 4));
    } else if (is_at(file, at, "ANMF")) {
      if (size < PictureHeader) return webp_damaged(name);
      if (layout.pictures.size() == WebpLimits::Pictures) return webp_too_large(name);
      const std::uint8_t flags = chunk[15];
      const Extent part{static_cast<int>(read_24(chunk, 6)) + 1, static_cast<int>(read_24(chunk, 9)) + 1};
      const bool fills = part == layout.canvas;
      const bool blends = (flags & DoNotBlend) == 0 && may_be_transparent(chunk.subspan(PictureHeader));
      const Traces traces{is_key(before, fills, blends), fills, (flags & DisposeAfter) != 0};
      layout.pictures.push_back({at, ChunkHeader + size, shown_duration(read_24(chunk, 12)), traces.is_key});
      before = traces;
    }
    at += ChunkHeader + size + size % 2;
  }
  if (layout.pictures.empty()) return webp_damaged(name);
  return layout;
}

std::vector<std::uint8_t> webp_excerpt(Bytes file, const WebpLayout& layout, std::size_t first,
                                       std::size_t end) {
  std::size_t size = FileHeader + ChunkHeader + 10 + ChunkHeader + 6;
  for (std::size_t i = first; i < end; ++i) size += layout.pictures[i].size + layout.pictures[i].size % 2;
  std::vector<std::uint8_t> excerpt;
  excerpt.reserve(size);
  put(excerpt, "RIFF");
  put(excerpt, static_cast<std::uint32_t>(size - ChunkHeader), 4);
  put(excerpt, "WEBPVP8X");
  put(excerpt, 10, 4);
  put(excerpt, IsAnimated | (layout.has_alpha ? HasAlpha : 0U), 4);
  put(excerpt, static_cast<std::uint32_t>(layout.canvas.width - 1), 3);
  put(excerpt, static_cast<std::uint32_t>(layout.canvas.height - 1), 3);
  put(excerpt, "ANIM");
  put(excerpt, 6, 4);
  put(excerpt, 0, 4);
  put(excerpt, 0, 2);
  for (std::size_t i = first; i < end; ++i) {
    const Bytes chunk = file.subspan(layout.pictures[i].offset, layout.pictures[i].size);
    excerpt.insert(excerpt.end(), chunk.begin(), chunk.end());
    if (chunk.size() % 2 != 0) excerpt.push_back(0);
  }
  return excerpt;
}

Error webp_too_large(const std::string& name) {
  return {
      ErrorCode::BadInput,
      fmt::format("{} is too large for animated WebP (at most {} MiB, {} million pixels and {} pictures): "
                  "convert it to a video.",
                  name, WebpLimits::FileBytes >> 20U, WebpLimits::Pixels / 1'000'000, WebpLimits::Pictures),
      {}};
}

Error webp_damaged(const std::string& name) {
  return {ErrorCode::BadInput,
          fmt::format(
              "{} is damaged or was cut short: its header announces more data than the file contains.", name),
          {}};
}

}  // namespace glyphreel::media
