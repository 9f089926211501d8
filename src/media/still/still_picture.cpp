#include "media/still/still_picture.h"

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

namespace glyphreel::media {
namespace {

struct StillEncoder {
  const char* name;                     ///< for messages
  std::array<const char*, 2> encoders;  ///< FFmpeg's encoder names, in order of preference
  AVPixelFormat format, format_with_alpha;
  std::array<std::pair<const char*, const char*>, 3> options;
  const char* muxer = nullptr;  ///< null: the encoder's packet is the file
};

/// In the order of StillCodec. libwebp's compression level 1 takes a quarter of the time of the default
/// level, 4, and makes files 25 % larger.
constexpr auto StillEncoders = std::to_array<StillEncoder>({
    {"PNG", {"png"}, AV_PIX_FMT_RGB24, AV_PIX_FMT_RGBA, {}},
    {"JPEG",
     {"mjpeg"},
     AV_PIX_FMT_YUVJ444P,
     AV_PIX_FMT_NONE,
     {{{"flags", "+qscale"}, {"global_quality", "236"}}}},
    {"WebP",
     {"libwebp"},
     AV_PIX_FMT_RGB32,
     AV_PIX_FMT_RGB32,
     {{{"lossless", "1"}, {"compression_level", "1"}, {"quality", "20"}}}},
    {"AVIF",
     {"libaom-av1", "libsvtav1"},
     AV_PIX_FMT_YUV444P,
     AV_PIX_FMT_NONE,
     {{{"crf", "18"}, {"cpu-used", "6"}, {"still-picture", "1"}}},
     "avif"},
});

const AVCodec* find_encoder(const StillEncoder& still) {
  for (const char* name : still.encoders) {
    const AVCodec* codec = name != nullptr ? avcodec_find_encoder_by_name(name) : nullptr;
    if (codec != nullptr) return codec;
  }
  return nullptr;
}

using ScalerPtr = std::unique_ptr<SwsContext, decltype([](SwsContext* s) { sws_freeContext(s); })>;

/// Converts the picture to the frame's format. JPEG's matrix is BT.601, AVIF's is BT.709; both use the full
/// range. Returns an AVERROR, or 0.
int fill(AVFrame& frame, const Picture& picture, Alpha alpha) {
  if (const int code = av_frame_get_buffer(&frame, 0); code < 0) return code;
  // If the fourth byte has no meaning, use BGR0, so that swscale makes the result opaque.
  const AVPixelFormat from = alpha == Alpha::Straight ? AV_PIX_FMT_BGRA : AV_PIX_FMT_BGR0;
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const ScalerPtr scaler(sws_getContext(frame.width, frame.height, from, frame.width, frame.height, format,
                                        SWS_POINT | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr, nullptr,
                                        nullptr));
  if (scaler == nullptr) return AVERROR(ENOMEM);
  const int* matrix = sws_getCoefficients(format == AV_PIX_FMT_YUV444P ? SWS_CS_ITU709 : SWS_CS_ITU601);
  sws_setColorspaceDetails(scaler.get(), matrix, 1, matrix, 1, 0, 1 << 16, 1 << 16);
  const std::array<const std::uint8_t*, 4> planes{reinterpret_cast<const std::uint8_t*>(picture.planes[0])};
  const std::array<int, 4> strides{picture.strides[0]};
  sws_scale(scaler.get(), planes.data(), strides.data(), 0, frame.height, frame.data, frame.linesize);
  return 0;
}

void describe(AVCodecContext& context, const StillEncoder& still, Extent size, Alpha alpha) {
  context.width = size.width;
  context.height = size.height;
  context.pix_fmt = alpha == Alpha::Straight ? still.format_with_alpha : still.format;
  context.time_base = {1, 1};
  context.thread_count = 1;  // the bytes must not depend on the number of threads
  if (context.pix_fmt == AV_PIX_FMT_YUV444P) {
    context.color_range = AVCOL_RANGE_JPEG;
    context.colorspace = AVCOL_SPC_BT709;
    context.color_primaries = AVCOL_PRI_BT709;
    context.color_trc = AVCOL_TRC_IEC61966_2_1;
  }
  for (const auto& [key, value] : still.options) {
    if (key != nullptr) av_opt_set(&context, key, value, AV_OPT_SEARCH_CHILDREN);
  }
}

/// Encodes the picture to one packet. Returns an AVERROR, or 0.
int encode(AVCodecContext& context, const AVCodec& codec, const Picture& picture, Alpha alpha,
           AVPacket& packet) {
  const FramePtr frame = new_frame();
  frame->format = context.pix_fmt;
  frame->width = context.width;
  frame->height = context.height;
  frame->pts = 0;
  frame->quality = context.global_quality;
  frame->color_range = context.color_range;
  int code = fill(*frame, picture, alpha);
  if (code >= 0) code = avcodec_open2(&context, &codec, nullptr);
  if (code >= 0) code = avcodec_send_frame(&context, frame.get());
  if (code >= 0) code = avcodec_send_frame(&context, nullptr);
  if (code >= 0) code = avcodec_receive_packet(&context, &packet);
  return code;
}

/// Puts the packet into a file of the muxer's format. Returns an AVERROR, or 0.
int mux(const char* muxer, const AVCodecContext& context, AVPacket& packet, std::string& bytes) {
  AVFormatContext* opened = nullptr;
  int code = avformat_alloc_output_context2(&opened, nullptr, muxer, nullptr);
  if (code < 0) return code;
  const std::unique_ptr<AVFormatContext, decltype([](AVFormatContext* f) { avformat_free_context(f); })>
      format(opened);
  AVStream* stream = checked(avformat_new_stream(format.get(), nullptr));
  stream->time_base = context.time_base;
  if (code = avcodec_parameters_from_context(stream->codecpar, &context); code < 0) return code;
  if (code = avio_open_dyn_buf(&format->pb); code < 0) return code;
  code = avformat_write_header(format.get(), nullptr);
  if (code >= 0) code = av_write_frame(format.get(), &packet);
  if (code >= 0) code = av_write_trailer(format.get());
  std::uint8_t* content = nullptr;
  const int size = avio_close_dyn_buf(format->pb, &content);
  if (code >= 0) bytes.assign(reinterpret_cast<const char*>(content), static_cast<std::size_t>(size));
  av_free(content);
  return code;
}

}  // namespace

Result<std::string> encode_still(const Picture& bgra8, StillCodec codec, Alpha alpha) {
  CHECK(bgra8.format == PictureFormat::Bgra8, "the picture to encode is not a Bgra8 picture");
  const StillEncoder& still = StillEncoders[static_cast<std::size_t>(codec)];
  const AVCodec* encoder = find_encoder(still);
  if (encoder == nullptr) {
    return Error{ErrorCode::Failed,
                 fmt::format("This FFmpeg has no {} encoder; choose a different file extension.", still.name),
                 {}};
  }
  const CodecContextPtr context(checked(avcodec_alloc_context3(encoder)));
  describe(*context, still, bgra8.size, alpha);
  const PacketPtr packet = new_packet();
  std::string bytes;
  int code = encode(*context, *encoder, bgra8, alpha, *packet);
  if (code >= 0 && still.muxer != nullptr) {
    code = mux(still.muxer, *context, *packet, bytes);
  } else if (code >= 0) {
    bytes.assign(reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size));
  }
  if (code < 0) {
    return av_failure(ErrorCode::Failed,
                      fmt::format("A picture of {}x{} pixels cannot be encoded as {}; choose a smaller size.",
                                  bgra8.size.width, bgra8.size.height, still.name),
                      code);
  }
  return bytes;
}

Result<void> write_png(AtomicFile::Options file, const Picture& bgra8) {
  TRY_ASSIGN(const std::string bytes, encode_still(bgra8, StillCodec::Png));
  return write_file(std::move(file), bytes);
}

}  // namespace glyphreel::media
