#include "media/still/webp_animation.h"

#include <webp/demux.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "media/still/raw_mov.h"

namespace glyphreel::media {
namespace {

constexpr int IoBuffer = 4096;  // only for the video's head: pictures bypass it
constexpr std::size_t ReadStep = 1UL * 1024 * 1024;

/// Reads a file whose declared size may be wrong: memory grows as its bytes arrive.
Result<std::vector<std::uint8_t>> read_file(AVIOContext& from, const WebpAnimation::Options& options) {
  std::vector<std::uint8_t> file;
  std::uint64_t wanted = WebpHeadBytes;
  for (bool knows_size = false;;) {
    const std::size_t start = file.size();
    file.resize(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, start + ReadStep)));
    const int count = avio_read(&from, file.data() + start, static_cast<int>(file.size() - start));
    if (count < 0 && count != AVERROR_EOF) return options.io_failure(count);
    file.resize(start + static_cast<std::size_t>(std::max(count, 0)));
    if (count <= 0 || file.size() >= wanted) {
      if (knows_size || !is_animated_webp(file)) return file;
      knows_size = true;
      wanted = webp_file_bytes(file);
      if (wanted > WebpLimits::FileBytes) return webp_too_large(options.name);
      if (file.size() >= wanted) return file;
    }
  }
}

}  // namespace

void WebpAnimation::DeleteDecoder::operator()(WebPAnimDecoder* decoder) const {
  WebPAnimDecoderDelete(decoder);
}

Result<std::unique_ptr<WebpAnimation>> WebpAnimation::read(AVIOContext& from, Options options) {
  TRY_ASSIGN(std::vector<std::uint8_t> file, read_file(from, options));
  TRY_ASSIGN(WebpLayout layout, read_webp_layout(file, options.name));
  return std::unique_ptr<WebpAnimation>(
      new WebpAnimation(std::move(file), std::move(layout), std::move(options)));
}

WebpAnimation::WebpAnimation(std::vector<std::uint8_t> file, WebpLayout layout, Options options)
    : file_(std::move(file)), layout_(std::move(layout)), options_(std::move(options)) {
  std::vector<std::uint32_t> durations;
  durations.reserve(layout_.pictures.size());
  for (const WebpLayout::Picture& picture : layout_.pictures) durations.push_back(picture.duration_ms);
  head_ = raw_film_head(layout_.canvas, durations);
  picture_bytes_ = std::int64_t{4} * layout_.canvas.width * layout_.canvas.height;

  auto* buffer = static_cast<unsigned char*>(av_malloc(IoBuffer));
  check_memory(buffer != nullptr);
  io_ = avio_alloc_context(
      buffer, IoBuffer, 0, this,
      [](void* self, std::uint8_t* to, int size) {
        return static_cast<WebpAnimation*>(self)->read(to, size);
      },
      nullptr,
      [](void* self, std::int64_t offset, int whence) {
        return static_cast<WebpAnimation*>(self)->seek(offset, whence);
      });
  check_memory(io_ != nullptr);
  // Otherwise FFmpeg seeks short distances forward by reading, and takes a damaged picture for the end.
  io_->direct = AVIO_FLAG_DIRECT;
}

WebpAnimation::~WebpAnimation() {
  av_freep(&io_->buffer);
  avio_context_free(&io_);
}

const AVInputFormat* WebpAnimation::format() {
  return av_find_input_format("mov");
}

Animation WebpAnimation::facts() const {
  return {.has_several_pictures = layout_.pictures.size() > 1, .play_count = layout_.play_count};
}

std::int64_t WebpAnimation::film_bytes() const {
  return static_cast<std::int64_t>(head_.size()) +
         picture_bytes_ * static_cast<std::int64_t>(layout_.pictures.size());
}

/// Reads up to the end of the head or of one picture.
int WebpAnimation::read(std::uint8_t* buffer, int size) {
  if (position_ >= film_bytes()) return AVERROR_EOF;
  const auto head_bytes = static_cast<std::int64_t>(head_.size());
  const std::uint8_t* from = head_.data() + position_;
  std::int64_t left = head_bytes - position_;
  if (left <= 0) {
    const std::int64_t in_pictures = position_ - head_bytes;
    if (told_damage_) {  // the demuxer asks again whether the picture is there
      forget_damage();
      return AVERROR_EOF;
    }
    if (const int code = decode(static_cast<std::size_t>(in_pictures / picture_bytes_)); code < 0) {
      told_damage_ = code == AVERROR_INVALIDDATA;
      return code;
    }
    const std::int64_t in_picture = in_pictures % picture_bytes_;
    from = canvas_ + in_picture;
    left = picture_bytes_ - in_picture;
  }
  const int count = static_cast<int>(std::min<std::int64_t>(size, left));
  std::memcpy(buffer, from, static_cast<std::size_t>(count));
  position_ += count;
  return count;
}

std::int64_t WebpAnimation::seek(std::int64_t offset, int whence) {
  if ((whence & AVSEEK_SIZE) != 0) return film_bytes();
  switch (whence & ~AVSEEK_FORCE) {
    case SEEK_CUR:
      offset += position_;
      break;
    case SEEK_END:
      offset += film_bytes();
      break;
    default:
      break;
  }
  if (offset < 0) return AVERROR(EINVAL);
  forget_damage();
  position_ = offset;
  return offset;
}

/// FFmpeg keeps a read error forever, and would report it instead of the video's end.
void WebpAnimation::forget_damage() {
  told_damage_ = false;
  io_->error = 0;
}

/// Makes canvas_ the picture `number`. Returns an AVERROR if that fails.
int WebpAnimation::decode(std::size_t number) {
  std::size_t first = number;
  while (!layout_.pictures[first].is_key) --first;
  if (group_first_ == first && canvas_ != nullptr && next_ == number + 1) return 0;
  if (group_first_ != first || number < next_) begin_group(first);
  for (; next_ <= number; ++next_) {
    if (options_.should_stop()) return AVERROR_EXIT;
    std::uint8_t* canvas = nullptr;
    int end_ms = 0;
    if (decoder_ != nullptr && WebPAnimDecoderGetNext(decoder_.get(), &canvas, &end_ms) == 0)
      decoder_.reset();
    canvas_ = canvas;
    if (canvas_ == nullptr) return AVERROR_INVALIDDATA;
  }
  return 0;
}

void WebpAnimation::begin_group(std::size_t first) {
  canvas_ = nullptr;
  next_ = first;
  if (group_first_ == first && decoder_ != nullptr) {
    WebPAnimDecoderReset(decoder_.get());
    return;
  }
  decoder_.reset();  // it reads from group_
  std::size_t end = first + 1;
  while (end < layout_.pictures.size() && !layout_.pictures[end].is_key) ++end;
  group_ = webp_excerpt(file_, layout_, first, end);
  group_first_ = first;
  WebPAnimDecoderOptions options;
  CHECK(WebPAnimDecoderOptionsInit(&options) != 0, "libwebpdemux does not match the version of its headers");
  options.color_mode = MODE_RGBA;
  options.use_threads = 1;
  const WebPData bytes{group_.data(), group_.size()};
  decoder_.reset(WebPAnimDecoderNew(&bytes, &options));
}

}  // namespace glyphreel::media
