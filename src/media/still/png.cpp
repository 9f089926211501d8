#include "media/still/png.h"

#include <utility>

#include <fmt/format.h>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {
namespace {

/// Copies the picture without its constant fourth byte: an alpha channel would enlarge the PNG without
/// adding information. Returns an AVERROR, or 0.
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
    return Error{
        ErrorCode::Failed, "This FFmpeg has no PNG encoder; install an FFmpeg that was built with zlib.", {}};
  }
  const CodecContextPtr context(checked(avcodec_alloc_context3(codec)));
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
        fmt::format("The picture {} of {}x{} pixels cannot be encoded as PNG; choose a smaller size.", path,
                    picture.size.width, picture.size.height),
        code);
  }
  return packet;
}

}  // namespace

Result<void> write_png(AtomicFile::Options file, const Picture& bgra8) {
  CHECK(bgra8.format == PictureFormat::Bgra8, "only Bgra8 pictures are written as PNG");
  TRY_ASSIGN(const PacketPtr packet, encode(file.path, bgra8));
  return write_file(std::move(file),
                    {reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size)});
}

}  // namespace glyphreel::media
