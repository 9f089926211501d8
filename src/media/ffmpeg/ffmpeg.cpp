#include "media/ffmpeg/ffmpeg.h"

#include <array>
#include <cstdarg>
#include <cstdlib>
#include <string_view>

#include "base/io/log.h"
#include "media/ffmpeg/log_handler.h"
#include "media/ffmpeg/picture_limits.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {

std::string av_text(int averror) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(averror, text.data(), text.size());
  return text.data();
}

Error av_failure(ErrorCode code, std::string message, int averror) {
  return {code, std::move(message), averror == 0 ? std::string() : av_text(averror)};
}

std::string metadata_value(const AVDictionary* metadata, const char* key) {
  const AVDictionaryEntry* entry = av_dict_get(metadata, key, nullptr, 0);
  return entry != nullptr ? entry->value : std::string();
}

AVRational to_av(Rational r) {
  AVRational reduced{0, 1};
  av_reduce(&reduced.num, &reduced.den, r.numerator, r.denominator, INT32_MAX);
  return reduced;
}

CodecParametersPtr copy_of(const AVCodecParameters& parameters) {
  CodecParametersPtr copy(checked(avcodec_parameters_alloc()));
  check_memory(avcodec_parameters_copy(copy.get(), &parameters) >= 0);
  return copy;
}

CodecParametersPtr parameters_of(const AVCodecContext& encoder) {
  CodecParametersPtr parameters(checked(avcodec_parameters_alloc()));
  check_memory(avcodec_parameters_from_context(parameters.get(), &encoder) >= 0);
  return parameters;
}

CodecContextPtr new_decoder(const AVCodec& codec, const AVCodecParameters& parameters, AVRational time_base) {
  CodecContextPtr context(checked(avcodec_alloc_context3(&codec)));
  check_memory(avcodec_parameters_to_context(context.get(), &parameters) >= 0);
  context->pkt_timebase = time_base;
  context->max_pixels =
      codec.type == AVMEDIA_TYPE_SUBTITLE ? PictureLimits::SubtitlePixels : PictureLimits::Pixels;
  return context;
}

std::int64_t picture_bytes(const AVCodecParameters& parameters) {
  const AVPixFmtDescriptor* format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(parameters.format));
  if (format == nullptr) return 0;
  const std::int64_t bits = av_get_padded_bits_per_pixel(format);
  return std::int64_t{parameters.width} * parameters.height * bits / 8;
}

bool is_interlaced(const AVFrame& frame) {
#if GLYPHREEL_AV_FRAME_FLAG_INTERLACED
  return (frame.flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
  return frame.interlaced_frame != 0;
#endif
}

std::int64_t& frame_duration(AVFrame& frame) {
#if GLYPHREEL_AV_FRAME_DURATION
  return frame.duration;
#else
  return frame.pkt_duration;
#endif
}

namespace {

/// Writes a message from FFmpeg to the debug log. FFmpeg calls this function on any thread; spdlog's loggers
/// are thread-safe.
void log_ffmpeg_line(void* origin, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_INFO) return;
  thread_local int print_prefix = 1;
  std::array<char, 1024> line{};
  av_log_format_line2(origin, level, format, arguments, line.data(), line.size(), &print_prefix);
  std::string_view text(line.data());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (!text.empty()) log::debug("ffmpeg: {}", text);
}

}  // namespace

void install_ffmpeg_log_handler() {
  // SVT-AV1 prints its messages to stderr itself. With level 1, it prints only errors.
  setenv("SVT_LOG", "1", 0);
  av_log_set_callback(log_ffmpeg_line);
}

}  // namespace glyphreel::media
