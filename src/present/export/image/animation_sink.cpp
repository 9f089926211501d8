#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "media/still/still_picture.h"
#include "present/export/file_sink.h"
#include "present/export/image/animated_files.h"
#include "present/export/image/image_sinks.h"

namespace glyphreel::present {
namespace {

constexpr std::int64_t AssumedDelay = 40;  // ms; delay of the last frame if its duration is unknown

class AnimationSink final : public FileSink {
 public:
  AnimationSink(std::unique_ptr<AtomicFile> file, const ExportFormat& format, const SinkOptions& options)
      : FileSink(std::move(file), options.writer.path, std::string(format.ending)),
        is_webp_(format.writer == ExportWriter::Webp),
        options_(options) {}

  PictureFormat picture_format() const override {
    return options_.transparent ? PictureFormat::None : PictureFormat::Bgra8;
  }

  Result<void> write(const render::RenderedFrame& frame) override {
    const std::int64_t now = milliseconds(frame.pts);
    Held next{.picture = options_.transparent
                             ? draw_transparent(frame, *options_.glyphs, *options_.transparent)
                             : frame.picture,
              .owner = frame.owner,
              .start = now,
              .end = milliseconds(frame.pts + frame.duration)};
    if (held_ && now > held_->start) {
      if (changed_area(held_->picture, next.picture).is_empty()) {
        held_->end = std::max(held_->end, next.end);
        return {};
      }
      TRY(write_held(now));
    } else if (held_) {
      next.start = held_->start;  // if two frames have the same time, only the second is written
    }
    held_ = std::move(next);
    return {};
  }

 private:
  struct Held {
    Picture picture;
    std::shared_ptr<const void> owner;
    std::int64_t start = 0, end = 0;  ///< ms
  };

  [[nodiscard]] std::int64_t milliseconds(std::int64_t pts) const {
    return std::llround(static_cast<double>(pts - options_.writer.first_pts) *
                        options_.writer.time_base.value() * 1000);
  }

  Result<void> write_held(std::int64_t end) {
    const Extent size = held_->picture.size;
    if (target_ == nullptr) target_ = is_webp_ ? make_animated_webp(size) : make_apng();
    PixelArea area{0, 0, size};
    if (written_) {
      area = changed_area(*written_, held_->picture);
      // WebP supports only even positions.
      area = {area.x & ~1, area.y & ~1, {area.size.width + (area.x & 1), area.size.height + (area.y & 1)}};
    }
    const bool is_overlay = is_webp_ && !options_.transparent && written_;
    TRY_ASSIGN(std::string still, encode(area, is_overlay));
    const AnimationFrame frame{std::move(still), area, end - held_->start, is_overlay};
    written_ = held_->picture;
    written_owner_ = held_->owner;
    return write_bytes(target_->add(frame));
  }

  /// Writes the only frame as a still image.
  Result<void> write_still() {
    TRY_ASSIGN(const std::string still, encode({0, 0, held_->picture.size}, false));
    held_.reset();
    return append(still);
  }

  Result<std::string> encode(PixelArea area, bool is_overlay) const {
    const StillCodec codec = is_webp_ ? StillCodec::Webp : StillCodec::Png;
    const Picture part = part_of(held_->picture, area);
    if (!is_overlay) {
      return media::encode_still(part, codec,
                                 options_.transparent ? media::Alpha::Straight : media::Alpha::Ignored);
    }
    return media::encode_still(changed_pixels(part_of(*written_, area), part), codec, media::Alpha::Straight);
  }

  /// Returns a picture with the pixels of `after` that differ from `before`; other pixels are transparent.
  static Picture changed_pixels(const Picture& before, const Picture& after) {
    Picture changed{.format = PictureFormat::Bgra8, .size = after.size, .strides = {after.size.width * 4}};
    changed.block = make_heap_memory()->acquire(static_cast<std::size_t>(changed.strides[0]) *
                                                static_cast<std::size_t>(after.size.height));
    CHECK(changed.block != nullptr, "out of memory");
    changed.planes[0] = changed.block->bytes;
    for (int y = 0; y < after.size.height; ++y) {
      const auto row = [y](const Picture& picture) {
        return reinterpret_cast<std::uint32_t*>(picture.planes[0] +
                                                static_cast<std::ptrdiff_t>(y) * picture.strides[0]);
      };
      const std::uint32_t* from = row(before);
      const std::uint32_t* to = row(after);
      std::uint32_t* out = row(changed);
      for (int x = 0; x < after.size.width; ++x) out[x] = from[x] == to[x] ? 0 : to[x];
    }
    return changed;
  }

  /// Appends a frame and patches the start of the file. A FIFO cannot be patched, so all bytes are held back
  /// until the end.
  Result<void> write_bytes(std::string bytes) {
    written_bytes_ += bytes.size();
    if (written_bytes_ > target_->max_bytes()) {
      return Error{ErrorCode::Failed,
                   fmt::format("{} reached the largest size of its format, 4 GiB; use --length, a smaller "
                               "--grid, or an output that ends in .mp4.",
                               path()),
                   {}};
    }
    if (!file().is_regular()) {
      held_bytes_ += bytes;
      return {};
    }
    TRY(append(bytes));
    const FilePatch patch = target_->patch();
    const ssize_t count =
        ::pwrite(file().descriptor(), patch.bytes.data(), patch.bytes.size(), static_cast<off_t>(patch.at));
    if (count != static_cast<ssize_t>(patch.bytes.size()))
      return unwritable(path(), {count < 0 ? errno : ENOSPC, std::generic_category()});
    return {};
  }

  Result<void> write_end() override {
    if (!held_) return {};
    if (!written_) return write_still();
    const std::int64_t end = held_->end > held_->start ? held_->end : held_->start + AssumedDelay;
    TRY(write_held(end));
    held_.reset();
    if (!file().is_regular()) {
      const FilePatch patch = target_->patch();
      held_bytes_.replace(patch.at, patch.bytes.size(), patch.bytes);
      TRY(append(held_bytes_));
    }
    return append(target_->end());
  }

  const bool is_webp_;
  const SinkOptions options_;
  std::unique_ptr<AnimatedFile> target_;
  std::optional<Held> held_;  ///< the last frame, whose end is not known yet
  std::optional<Picture> written_;
  std::shared_ptr<const void> written_owner_;
  std::string held_bytes_;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<FrameSink>> open_animation_sink(const ExportFormat& format,
                                                       const SinkOptions& options) {
  TRY_ASSIGN(std::unique_ptr<AtomicFile> file, AtomicFile::create(options.writer.file()));
  return std::unique_ptr<FrameSink>(std::make_unique<AnimationSink>(std::move(file), format, options));
}

}  // namespace glyphreel::present
