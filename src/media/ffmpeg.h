#pragma once

// FFmpeg's headers, its handles as unique_ptr, and its errors as ours. For the .cpp files of this room.

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/dict.h>
#include <libavutil/frame.h>
}

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/rational.h"
#include "base/result.h"

namespace glyphreel::media {

/// Calls an FFmpeg function of the form `void free(T**)`.
template <auto Free>
struct FreeIndirect {
  template <typename T>
  void operator()(T* object) const {
    Free(&object);
  }
};
/// Calls an FFmpeg function of the form `void free(T*)`.
template <auto Free>
struct FreeDirect {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

using PacketPtr = std::unique_ptr<AVPacket, FreeIndirect<av_packet_free>>;
using FramePtr = std::unique_ptr<AVFrame, FreeIndirect<av_frame_free>>;
using CodecContextPtr = std::unique_ptr<AVCodecContext, FreeIndirect<avcodec_free_context>>;
using CodecParametersPtr = std::unique_ptr<AVCodecParameters, FreeIndirect<avcodec_parameters_free>>;

/// After an allocation by FFmpeg: throws std::bad_alloc unless it succeeded, as other allocations do. Not for
/// callbacks.
inline void check_memory(bool is_there) {
  if (!is_there) throw std::bad_alloc();
}

/// Allocations of a few hundred bytes. They throw std::bad_alloc.
[[nodiscard]] PacketPtr new_packet();
[[nodiscard]] FramePtr new_frame();
[[nodiscard]] CodecParametersPtr copy_of(const AVCodecParameters& parameters);
/// A decoder of a stream of that kind, to be opened by avcodec_open2(). `time_base`: of the stream's packets;
/// decoders take the priming of sound out of times by it. Pictures beyond PictureLimits are damage to it.
[[nodiscard]] CodecContextPtr new_decoder(const AVCodec& codec, const AVCodecParameters& parameters,
                                          AVRational time_base);

/// FFmpeg's words for an AVERROR.
[[nodiscard]] std::string av_text(int averror);
[[nodiscard]] Error av_failure(ErrorCode code, std::string message, int averror);

[[nodiscard]] inline Rational to_rational(AVRational r) {
  return {r.num, r.den};
}
/// The nearest AVRational: numerator and denominator limited to 31 bits.
[[nodiscard]] AVRational to_av(Rational r);

/// An options dictionary for one call.
class Options {
 public:
  Options() = default;
  ~Options() { av_dict_free(&entries_); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  void set(const char* key, const std::string& value) { av_dict_set(&entries_, key, value.c_str(), 0); }
  [[nodiscard]] AVDictionary** get() { return &entries_; }

 private:
  AVDictionary* entries_ = nullptr;
};

// What the FFmpeg releases from 5.1 to 7.1 differ in.
#define GLYPHREEL_AV_FRAME_DURATION (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100))
#define GLYPHREEL_AV_CODED_SIDE_DATA (LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100))
#define GLYPHREEL_AV_SUPPORTED_CONFIG (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100))
#define GLYPHREEL_AV_FRAME_FLAG_INTERLACED (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100))
// A packet's `opaque` comes out with its frame; before, there was the context's `reordered_opaque` for that.
#define GLYPHREEL_AV_COPY_OPAQUE (LIBAVCODEC_VERSION_MAJOR >= 60)
#define GLYPHREEL_AV_CALLBACKS_ALWAYS_THREADED (LIBAVCODEC_VERSION_MAJOR >= 60)
// Matroska's CodecDelay: newer muxers write it for any codec and move the timestamps by it; 5.1 writes it for
// Opus alone and moves nothing.
#define GLYPHREEL_AV_MATROSKA_APPLIES_PADDING (LIBAVFORMAT_VERSION_MAJOR >= 60)
// Vulkan Video: callbacks that lock queues and frames, and the queue families in a list.
#define GLYPHREEL_AV_VULKAN_LOCKS (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 11, 100))
#define GLYPHREEL_AV_VULKAN_QUEUE_LIST (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(59, 34, 100))

// What the callback of an AVIOContext is given to write.
#if LIBAVFORMAT_VERSION_MAJOR >= 61
using WrittenByte = const std::uint8_t;
#else
using WrittenByte = std::uint8_t;
#endif

// Newer NVDEC wrappers copy each frame on the GPU once more, unless told that the caller holds few.
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT
inline constexpr int HoldsFewSurfaces = AV_HWACCEL_FLAG_UNSAFE_OUTPUT;
#else
inline constexpr int HoldsFewSurfaces = 0;
#endif

/// Bytes of a decoded picture of a stream in host memory; 0 where unknown.
[[nodiscard]] std::int64_t picture_bytes(const AVCodecParameters& parameters);
/// Whether a frame's rows are of two instants by turns.
[[nodiscard]] bool is_interlaced(const AVFrame& frame);
/// Duration of a decoded frame in its time base; 0 where unknown.
[[nodiscard]] std::int64_t frame_duration(const AVFrame& frame);

}  // namespace glyphreel::media
