#pragma once

// FFmpeg's headers, unique_ptr types for FFmpeg's objects, and conversions of FFmpeg's errors to Error.

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/dict.h>
#include <libavutil/frame.h>
}

#include <fmt/core.h>

#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/rational.h"
#include "base/result.h"

namespace glyphreel::media {

/// A deleter that calls an FFmpeg function of the form `void free(T**)`.
template <auto Free>
struct FreeIndirect {
  template <typename T>
  void operator()(T* object) const {
    Free(&object);
  }
};
/// A deleter that calls an FFmpeg function of the form `void free(T*)`.
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
using DictionaryPtr = std::unique_ptr<AVDictionary, FreeIndirect<av_dict_free>>;
using CodecParametersPtr = std::unique_ptr<AVCodecParameters, FreeIndirect<avcodec_parameters_free>>;

/// Where an encoder puts the headers of its stream: into its packets, or out of band, for the container.
enum class CodecHeaders { InPackets, InContainer };

/// Throws std::bad_alloc if `succeeded` is false, which means that an allocation by FFmpeg failed. Do not
/// call this function in FFmpeg's callbacks, since exceptions must not propagate through FFmpeg.
inline void check_memory(bool succeeded) {
  if (!succeeded) throw std::bad_alloc();
}

/// Returns `allocated`, which FFmpeg has allocated; throws std::bad_alloc if it is null.
template <typename T>
[[nodiscard]] T* checked(T* allocated) {
  check_memory(allocated != nullptr);
  return allocated;
}

/// new_packet(), new_frame() and copy_of() allocate a few hundred bytes and throw std::bad_alloc on failure.
[[nodiscard]] inline PacketPtr new_packet() {
  return PacketPtr(checked(av_packet_alloc()));
}
[[nodiscard]] inline FramePtr new_frame() {
  return FramePtr(checked(av_frame_alloc()));
}
[[nodiscard]] CodecParametersPtr copy_of(const AVCodecParameters& parameters);
/// Returns the parameters of the packets that an opened encoder outputs.
[[nodiscard]] CodecParametersPtr parameters_of(const AVCodecContext& encoder);
/// Creates a decoder for a stream with these parameters; the caller opens it with avcodec_open2().
/// `time_base` is the packets' time base; decoders need it to remove audio priming from timestamps. The
/// decoder treats pictures with more pixels than PictureLimits allows as damaged.
[[nodiscard]] CodecContextPtr new_decoder(const AVCodec& codec, const AVCodecParameters& parameters,
                                          AVRational time_base);

/// Returns FFmpeg's description of an AVERROR.
[[nodiscard]] std::string av_text(int averror);
/// Returns an error whose cause is FFmpeg's description of `averror`. If `averror` is 0, the cause is empty.
[[nodiscard]] Error av_failure(ErrorCode code, std::string message, int averror);

/// Returns a BadInput error whose message is formatted like fmt::format(). `averror`: see av_failure().
template <typename... Arguments>
[[nodiscard]] Error bad_input(int averror, fmt::format_string<Arguments...> format,
                              Arguments&&... arguments) {
  return av_failure(ErrorCode::BadInput, fmt::format(format, std::forward<Arguments>(arguments)...), averror);
}
template <typename... Arguments>
[[nodiscard]] Error bad_input(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return av_failure(ErrorCode::BadInput, fmt::format(format, std::forward<Arguments>(arguments)...), 0);
}

[[nodiscard]] inline std::span<AVStream* const> streams_of(const AVFormatContext& format) {
  return {format.streams, format.nb_streams};
}

/// Returns the value of a metadata entry; empty if there is none.
[[nodiscard]] std::string metadata_value(const AVDictionary* metadata, const char* key);

[[nodiscard]] inline Rational to_rational(AVRational r) {
  return {r.num, r.den};
}
/// Returns the nearest AVRational, whose numerator and denominator have at most 31 bits.
[[nodiscard]] AVRational to_av(Rational r);

/// A dictionary of options for one call of an FFmpeg function.
class Options {
 public:
  Options() = default;
  ~Options() { av_dict_free(&entries_); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  void set(const char* key, const std::string& value) { av_dict_set(&entries_, key, value.c_str(), 0); }
  void set_all(const std::vector<std::pair<std::string, std::string>>& entries) {
    for (const auto& [key, value] : entries) set(key.c_str(), value);
  }
  [[nodiscard]] AVDictionary** get() { return &entries_; }

 private:
  AVDictionary* entries_ = nullptr;
};

// Differences between the FFmpeg releases 5.1 to 7.1. Each macro is true if the release in use has the
// feature that the macro is named after.
#define GLYPHREEL_AV_FRAME_DURATION (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100))
#define GLYPHREEL_AV_CODED_SIDE_DATA (LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100))
#define GLYPHREEL_AV_SUPPORTED_CONFIG (LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100))
#define GLYPHREEL_AV_FRAME_FLAG_INTERLACED (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100))
// Decoders copy a packet's `opaque` to the packet's frame. Older releases copy `reordered_opaque`, a field of
// the codec context, instead.
#define GLYPHREEL_AV_COPY_OPAQUE (LIBAVCODEC_VERSION_MAJOR >= 60)
#define GLYPHREEL_AV_CALLBACKS_ALWAYS_THREADED (LIBAVCODEC_VERSION_MAJOR >= 60)
// The Matroska muxer writes the duration of audio priming (CodecDelay) for any codec and shifts the
// timestamps by this duration. FFmpeg 5.1 writes CodecDelay only for Opus and does not shift timestamps.
#define GLYPHREEL_AV_MATROSKA_APPLIES_PADDING (LIBAVFORMAT_VERSION_MAJOR >= 60)
// For Vulkan Video: FFmpeg has callbacks that lock queues and frames (LOCKS), and stores the queue families
// as a list (QUEUE_LIST).
#define GLYPHREEL_AV_VULKAN_LOCKS (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 11, 100))
#define GLYPHREEL_AV_VULKAN_QUEUE_LIST (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(59, 34, 100))

// The byte type that an AVIOContext's write callback receives.
#if LIBAVFORMAT_VERSION_MAJOR >= 61
using WrittenByte = const std::uint8_t;
#else
using WrittenByte = std::uint8_t;
#endif

// In newer FFmpeg releases, the NVDEC decoders make an extra GPU copy of each frame unless this flag declares
// that the caller keeps few frames.
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT
inline constexpr int HoldsFewSurfaces = AV_HWACCEL_FLAG_UNSAFE_OUTPUT;
#else
inline constexpr int HoldsFewSurfaces = 0;
#endif

/// Returns how many bytes of host memory a decoded frame of a stream with these parameters occupies; 0 if
/// unknown.
[[nodiscard]] std::int64_t picture_bytes(const AVCodecParameters& parameters);
/// Whether a frame is interlaced: its odd and even rows show different instants.
[[nodiscard]] bool is_interlaced(const AVFrame& frame);
/// Returns a reference to the duration of a decoded frame, in the frame's time base; 0: unknown.
[[nodiscard]] std::int64_t& frame_duration(AVFrame& frame);

}  // namespace glyphreel::media
