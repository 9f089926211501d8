#include "media/image.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "media/ffmpeg.h"

namespace glyphreel::media {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::filesystem::path part_path(const std::filesystem::path& path) {
  std::filesystem::path part = path;
  return part.replace_filename(path.stem().string() + ".part" + path.extension().string());
}

Error unwritable(const std::string& path, int error_number) {
  const char* sentence = "The picture {} cannot be written.";
  if (error_number == ENOSPC || error_number == EDQUOT) {
    sentence = "The picture {} cannot be written: the disk is full.";
  } else if (error_number == ENOENT || error_number == ENOTDIR) {
    sentence = "The picture {} cannot be written: its folder does not exist.";
  } else if (error_number == EACCES || error_number == EPERM || error_number == EROFS) {
    sentence = "The picture {} cannot be written: its folder does not permit it.";
  }
  return {ErrorCode::Failed, fmt::format(fmt::runtime(sentence), path),
          std::error_code(error_number, std::generic_category()).message()};
}

/// The picture without its constant fourth byte: a PNG with an alpha channel is larger and says nothing more.
/// Returns an AVERROR, or 0.
int fill_rgb(AVFrame& frame, const Picture& picture) {
  frame.format = AV_PIX_FMT_RGB24;
  frame.width = picture.size.width;
  frame.height = picture.size.height;
  if (const int code = av_frame_get_buffer(&frame, 0); code < 0) return code;
  for (int y = 0; y < picture.size.height; ++y) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(picture.planes[0]) +
                       static_cast<std::ptrdiff_t>(y) * picture.strides[0];
    std::uint8_t* to = frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0];
    for (int x = 0; x < picture.size.width; ++x) {
      to[3 * x] = from[4 * x + 2];
      to[3 * x + 1] = from[4 * x + 1];
      to[3 * x + 2] = from[4 * x];
    }
  }
  return 0;
}

Result<PacketPtr> encode(const std::string& path, const Picture& picture) {
  const AVCodec* codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (codec == nullptr) {
    return Error{ErrorCode::Failed, "This FFmpeg has no PNG encoder: install one built with zlib.", {}};
  }
  const CodecContextPtr context(avcodec_alloc_context3(codec));
  CHECK(context != nullptr, "out of memory");
  context->width = picture.size.width;
  context->height = picture.size.height;
  context->pix_fmt = AV_PIX_FMT_RGB24;
  context->time_base = {1, 1};
  const FramePtr frame = new_frame();
  PacketPtr packet = new_packet();
  int code = fill_rgb(*frame, picture);
  if (code >= 0) code = avcodec_open2(context.get(), codec, nullptr);
  if (code >= 0) code = avcodec_send_frame(context.get(), frame.get());
  if (code >= 0) code = avcodec_send_frame(context.get(), nullptr);
  if (code >= 0) code = avcodec_receive_packet(context.get(), packet.get());
  if (code < 0) {
    return av_failure(
        ErrorCode::Failed,
        fmt::format("The picture {} of {}x{} pixels cannot be encoded as PNG: choose a smaller size.", path,
                    picture.size.width, picture.size.height),
        code);
  }
  return packet;
}

/// errno, or 0 where all of `packet` is in the file.
int write_file(const std::filesystem::path& path, const AVPacket& packet) {
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "wb"));
  if (!file) return errno;
  const auto size = static_cast<std::size_t>(packet.size);
  if (std::fwrite(packet.data, 1, size, file.get()) != size) return errno;
  // Buffered bytes reach the disk at the latest here, and with them its being full.
  return std::fclose(file.release()) == 0 ? 0 : errno;
}

}  // namespace

Result<void> write_png(const std::string& path, const Picture& bgra8) {
  CHECK(bgra8.format == PictureFormat::Bgra8, "only Bgra8 pictures are written as PNG");
  TRY_ASSIGN(const PacketPtr packet, encode(path, bgra8));
  const std::filesystem::path part = part_path(path);
  std::error_code problem;
  if (const int failed = write_file(part, *packet); failed != 0) {
    std::filesystem::remove(part, problem);
    return unwritable(path, failed);
  }
  std::filesystem::rename(part, path, problem);
  if (problem) {
    const int failed = problem.value();
    std::filesystem::remove(part, problem);
    return unwritable(path, failed);
  }
  return {};
}

}  // namespace glyphreel::media
