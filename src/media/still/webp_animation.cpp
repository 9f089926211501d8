#include "media/still/webp_animation.h"

#include <webp/decode.h>

#include <array>
#include <cstring>
#include <string_view>

extern "C" {
#include <libavutil/intreadwrite.h>
}

namespace glyphreel::media {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t FirstChunk = 12;       // offset in bytes: after "RIFF", the file size and "WEBP"
constexpr std::size_t ChunkHeader = 8;       // bytes: the type and the size of a chunk
constexpr std::size_t CanvasEnd = 30;        // offset after the first chunk (VP8X: flags, width, height)
constexpr std::size_t PictureHeader = 16;    // bytes of the ANMF fields before the picture's own chunks
constexpr std::uint8_t IsAnimated = 0x02;    // flag of the VP8X chunk
constexpr std::uint8_t HasAlpha = 0x10;      // flag of the VP8X chunk
constexpr std::uint8_t DoNotBlend = 0x02;    // flag of an ANMF chunk
constexpr std::uint8_t DisposeAfter = 0x01;  // flag of an ANMF chunk

bool is_at(Bytes bytes, std::size_t at, std::string_view type) {
  return bytes.size() >= at + type.size() && std::memcmp(bytes.data() + at, type.data(), type.size()) == 0;
}

Error webp_too_large(const std::string& name) {
  return bad_input(
      "{} is too large: an animated WebP may have at most {} MiB, {} million pixels and {} pictures; "
      "convert it to a video.",
      name, WebpLimits::FileBytes >> 20U, WebpLimits::Pixels / 1'000'000, WebpLimits::Pictures);
}

Error webp_damaged(const std::string& name) {
  return bad_input(
      "{} contains less data than its header declares: it is damaged or was cut short; copy it again.", name);
}

std::uint32_t shown_duration(std::uint32_t declared_ms) {
  constexpr std::uint32_t MinHonoredDurationMs = 10;
  constexpr std::uint32_t Instead = 100;
  return declared_ms <= MinHonoredDurationMs ? Instead : declared_ms;
}

bool may_be_transparent(Bytes picture) {
  WebPBitstreamFeatures features;
  return WebPGetFeatures(picture.data(), picture.size(), &features) != VP8_STATUS_OK ||
         features.has_alpha != 0;
}

/// Decides which pictures are keyframes, with the same rule as WebPAnimDecoder, which clears the canvas at
/// the start and before each keyframe.
class KeyFinder {
 public:
  explicit KeyFinder(Extent canvas) : canvas_(canvas) {}
  /// Whether the next picture is a keyframe. `anmf`: the payload of its ANMF chunk.
  [[nodiscard]] bool is_key(Bytes anmf) {
    const std::uint8_t flags = anmf[15];
    const Extent part{static_cast<int>(AV_RL24(&anmf[6])) + 1, static_cast<int>(AV_RL24(&anmf[9])) + 1};
    const bool fills = part == canvas_;
    const bool blends = (flags & DoNotBlend) == 0 && may_be_transparent(anmf.subspan(PictureHeader));
    const bool is_key = leaves_canvas_clear_ || (fills && !blends);
    leaves_canvas_clear_ = (flags & DisposeAfter) != 0 && (fills || is_key);
    return is_key;
  }

 private:
  Extent canvas_;
  bool leaves_canvas_clear_ = true;  ///< whether the previous picture leaves the canvas clear
};

}  // namespace

bool is_animated_webp(Bytes head) {
  return is_at(head, 0, "RIFF") && is_at(head, 8, "WEBPVP8X") && head.size() >= WebpHeadBytes &&
         (head[20] & IsAnimated) != 0;
}

Result<std::size_t> webp_file_bytes(Bytes head, const std::string& name) {
  const std::size_t bytes = std::size_t{AV_RL32(&head[4])} + ChunkHeader;
  if (bytes > WebpLimits::FileBytes) return webp_too_large(name);
  return bytes;
}

Result<std::unique_ptr<WebpAnimation>> WebpAnimation::parse(std::vector<std::uint8_t> bytes,
                                                            const std::string& name) {
  if (!is_animated_webp(bytes) || bytes.size() < CanvasEnd) return webp_damaged(name);
  TRY_ASSIGN(const std::size_t declared, webp_file_bytes(bytes, name));
  if (declared > bytes.size()) return webp_damaged(name);
  std::unique_ptr<WebpAnimation> self(new WebpAnimation);
  self->file_ = std::move(bytes);
  const Bytes file = Bytes(self->file_).first(declared);
  const std::int64_t width = AV_RL24(&self->file_[24]) + 1;
  const std::int64_t height = AV_RL24(&self->file_[27]) + 1;
  if (width > WebpLimits::Side || height > WebpLimits::Side || width * height > WebpLimits::Pixels)
    return webp_too_large(name);
  self->size_ = {static_cast<int>(width), static_cast<int>(height)};
  KeyFinder keys(self->size_);
  std::int64_t pts_ms = 0;
  for (std::size_t at = FirstChunk; at + ChunkHeader <= file.size();) {
    const std::size_t size = AV_RL32(&file[at + 4]);
    if (size > file.size() - at - ChunkHeader) return webp_damaged(name);
    const Bytes chunk = file.subspan(at + ChunkHeader, size);
    if (is_at(file, at, "ANIM")) {
      if (size < 6) return webp_damaged(name);
      self->play_count_ = AV_RL16(&chunk[4]);
    } else if (is_at(file, at, "ANMF")) {
      if (size < PictureHeader) return webp_damaged(name);
      if (self->pictures_.size() == WebpLimits::Pictures) return webp_too_large(name);
      const std::uint32_t duration_ms = shown_duration(AV_RL24(&chunk[12]));
      self->pictures_.push_back({at, ChunkHeader + size, pts_ms, duration_ms, keys.is_key(chunk)});
      pts_ms += duration_ms;
    }
    at += ChunkHeader + size + size % 2;
  }
  if (self->pictures_.empty()) return webp_damaged(name);
  return self;
}

const std::uint8_t* WebpAnimation::decode(std::size_t number, const std::function<bool()>& should_stop) {
  std::size_t first = number;
  while (!pictures_[first].is_key) --first;
  if (group_first_ == first && canvas_ != nullptr && next_ == number + 1) return canvas_;
  if (group_first_ != first || number < next_) begin_group(first);
  for (; next_ <= number; ++next_) {
    if (should_stop()) return nullptr;
    std::uint8_t* canvas = nullptr;
    int end_ms = 0;
    if (decoder_ != nullptr && WebPAnimDecoderGetNext(decoder_.get(), &canvas, &end_ms) == 0)
      decoder_.reset();
    canvas_ = canvas;
    if (canvas_ == nullptr) return nullptr;
  }
  return canvas_;
}

/// Opens a decoder for the pictures from `first`, which must be a keyframe, up to the next keyframe. Makes a
/// separate WebP file of these pictures, because WebPAnimDecoder can neither start in the middle of a file
/// nor continue after a damaged picture.
void WebpAnimation::begin_group(std::size_t first) {
  canvas_ = nullptr;
  next_ = first;
  if (group_first_ == first && decoder_ != nullptr) {
    WebPAnimDecoderReset(decoder_.get());
    return;
  }
  decoder_.reset();  // before group_ changes: the decoder reads from it
  std::size_t last = first;
  while (last + 1 < pictures_.size() && !pictures_[last + 1].is_key) ++last;
  const Bytes chunks = Bytes(file_).subspan(
      pictures_[first].offset, pictures_[last].offset + pictures_[last].size - pictures_[first].offset);
  static constexpr std::array<std::uint8_t, 14> Anim = {'A', 'N', 'I', 'M', 6};
  group_.assign(file_.begin(), file_.begin() + CanvasEnd);
  group_.insert(group_.end(), Anim.begin(), Anim.end());
  group_.insert(group_.end(), chunks.begin(), chunks.end());
  if (chunks.size() % 2 != 0) group_.push_back(0);
  AV_WL32(&group_[4], static_cast<std::uint32_t>(group_.size() - ChunkHeader));
  AV_WL32(&group_[16], static_cast<std::uint32_t>(CanvasEnd - FirstChunk - ChunkHeader));
  AV_WL32(&group_[20], std::uint32_t{file_[20]} & (IsAnimated | HasAlpha));
  group_first_ = first;

  WebPAnimDecoderOptions options;
  CHECK(WebPAnimDecoderOptionsInit(&options) != 0, "libwebpdemux does not match the version of its headers");
  options.color_mode = MODE_RGBA;
  options.use_threads = 1;
  const WebPData data{group_.data(), group_.size()};
  decoder_.reset(WebPAnimDecoderNew(&data, &options));
}

}  // namespace glyphreel::media
