#include "commands/cluster/tool_identity.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "base/host_memory.h"
#include "media/input/content_hash.h"
#include "media/listing.h"
#include "media/segment/segment_writer.h"

namespace glyphreel::commands {
namespace {

constexpr Extent Size{64, 64};
constexpr int Frames = 4;

/// Returns a picture with gradients that move from frame to frame. `number`: the frame's index.
Picture test_picture(HostMemory& memory, PictureFormat format, int number) {
  const bool is_yuv = format == PictureFormat::Yuv420p;
  const int row = is_yuv ? Size.width : Size.width * 4;
  const auto plane = static_cast<std::size_t>(row) * Size.height;
  auto block = memory.acquire(2 * plane);
  for (std::size_t i = 0; i < 2 * plane; ++i)
    block->bytes[i] =
        static_cast<std::byte>((i * 7 + i / static_cast<std::size_t>(row) * 3 + number * 5) & 0xff);
  Picture picture{.format = format, .size = Size, .planes = {block->bytes}, .strides = {row}, .block = block};
  if (is_yuv) {
    picture.planes = {block->bytes, block->bytes + plane, block->bytes + plane + plane / 4};
    picture.strides = {row, row / 2, row / 2};
  }
  return picture;
}

Result<void> encode(const media::WriterOptions& options) {
  TRY_ASSIGN(const PictureFormat format, media::Writer::picture_format(options));
  TRY_ASSIGN(const std::unique_ptr<media::Writer> writer, media::open_segment_writer(options, {}));
  const std::unique_ptr<HostMemory> memory = make_heap_memory();
  for (int number = 0; number < Frames; ++number)
    TRY(writer->write_video(test_picture(*memory, format, number), number, 1));
  return writer->finish();
}

}  // namespace

std::string library_versions() {
  return fmt::format("FFmpeg {}", media::capabilities().ffmpeg_version);
}

Result<std::string> encoder_fingerprint(const cli::Settings& settings, const std::string& scratch) {
  TRY_ASSIGN(const ExportFormat format, export_format_of({}, settings.batch.to_format));
  if (format.writer != ExportWriter::Video) return std::string();
  const media::WriterOptions options{.path = scratch,
                                     .format = std::string(format.ending),
                                     .codec = settings.recording.codec,
                                     .pixel_format = settings.recording.pixel_format,
                                     .crf = settings.recording.crf,
                                     .preset = settings.recording.preset,
                                     .bits_per_second = settings.recording.bits_per_second,
                                     .threads = 1,
                                     .size = Size,
                                     .time_base = {1, 25},
                                     .frame_rate = {25, 1},
                                     .overwrite = true};
  TRY(encode(options));
  Result<std::string> hash = media::content_hash_of_file(scratch);
  std::error_code ignored;
  std::filesystem::remove(scratch, ignored);
  return hash;
}

}  // namespace glyphreel::commands
