#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/host_memory.h"
#include "base/rational.h"
#include "base/threads/stage_times.h"
#include "base/time_position.h"
#include "media/decode/deinterlacing.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/stream/copied_kinds.h"

namespace glyphreel::media {

/// How a Source delivers audio.
enum class AudioDelivery {
  None,
  WithFrames,  ///< read() returns audio packets among the frames, in file order: for recording
  Apart,       ///< read_audio() returns audio packets, independently of read(): for playback
};

/// Selects the frame to return first after a seek.
enum class SeekMode {
  Exact,           ///< the first frame at or after the target
  KeyframeBefore,  ///< the last keyframe at or before the target: fast
  KeyframeAfter,   ///< the first keyframe at or after the target; if there is none, like KeyframeBefore
  FrameBefore,     ///< the last frame before the target; if there is none, the first frame
};

/// The goal that determines the default number of decoder threads.
enum class DecodingGoal {
  Latency,     ///< one thread per CPU: the first frame after a seek is returned soon
  Throughput,  ///< more threads, if they decode separate frames and thus wait for each other
};

class HwDecodeBackend;

struct SourceOptions {
  std::string url;  ///< a file name, a URL, or "-" for standard input
  int threads = 0;  ///< decoder threads, at most 16; 0: chosen for `decoding_goal`
  DecodingGoal decoding_goal = DecodingGoal::Latency;
  /// Memory into which frames are decoded; null: FFmpeg's own buffers. Must outlive the Source.
  HostMemory* memory = nullptr;
  AudioDelivery audio = AudioDelivery::None;
  /// Number of the audio track to play, counted from 1. If it is 0, or if no track has this number, the track
  /// is chosen by its language: the first of `audio_languages` in which the input has audio. FFmpeg's best
  /// track is played if it is in this language; otherwise, the first track in this language is played. If the
  /// input has audio in none of the languages, FFmpeg's best track is played.
  int audio_track = 0;
  std::vector<std::string> audio_languages = {};
  CopiedKinds copied = {};  ///< what Source::copied() returns; not for use with AudioDelivery::Apart
  /// If true, read() neither decodes nor returns video: only the other tracks are copied.
  bool discards_video = false;
  bool want_subtitles = false;   ///< whether to keep subtitle packets for try_read_subtitle()
  bool reports_skipped = false;  ///< whether read() returns Skipped for frames before the target of a seek
  std::stop_token stop = {};     ///< a request to stop makes open() return soon, with an error
  /// The part of the input to read. Opening the Source seeks exactly to the start of the range: earlier
  /// frames that must be decoded are dropped. Frames at or after the end of the range are not returned.
  RequestedRange range = {};
  std::optional<Rational> aspect = {};  ///< width / height of the displayed frame; empty: as in the input
  std::uint32_t background = 0;         ///< 0xRRGGBB: drawn behind transparent frames
  StageTimes* times = nullptr;          ///< receives how long decoding each frame took; may be null
  HwDecodeChoice hwdec = HwDecodeChoice::No;
  /// Provides the devices for hardware decoding. The CPU decodes until DeferredHwDecode::bind() is called.
  /// Null: no devices are provided, and with HwDecodeChoice::Auto only the CPU decodes. Must outlive the
  /// Source.
  const DeferredHwDecode* hardware = nullptr;
  Deinterlacing deinterlace = Deinterlacing::Auto;
  /// Whether read() ends the stream after Ctrl-C or another request to stop the program. Set this if no
  /// player handles these requests.
  bool ends_on_interrupt = false;
  /// Set by tests to replace FFmpeg's hardware decoding; null: FFmpeg is called. Must outlive the Source.
  HwDecodeBackend* hw_decode_backend = nullptr;
};

}  // namespace glyphreel::media
