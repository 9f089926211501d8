#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/host_memory.h"
#include "base/rational.h"
#include "base/time_position.h"
#include "base/threads/stage_times.h"
#include "media/decode/deinterlacing.h"
#include "media/hwdec/hw_decode_choice.h"
#include "media/stream/copied_kinds.h"

namespace glyphreel::media {

/// How a Source delivers audio.
enum class AudioDelivery {
  None,
  WithFrames,  ///< read() returns audio packets, in file order: for recording
  Apart,       ///< read_audio() returns audio packets, independently of read(): for playback
};

/// Selects the frame to return first after a seek.
enum class SeekMode {
  Exact,           ///< the first frame at or after the target
  KeyframeBefore,  ///< the last keyframe at or before the target: fast
  KeyframeAfter,   ///< the first keyframe at or after the target; if there is none, like KeyframeBefore
  FrameBefore,     ///< the last frame before the target, followed by the frames after it
};

class HwDecodeBackend;

struct SourceOptions {
  std::string url;  ///< a file, a URL, "-" for standard input
  int threads = 0;  ///< decoder threads, at most 16; 0: one per CPU
  /// Memory into which frames are decoded; null: FFmpeg's own buffers. Must outlive the Source.
  HostMemory* memory = nullptr;
  AudioDelivery audio = AudioDelivery::None;
  /// Number of the track to play, from 1. If it is 0 or no track has this number, plays a track in the first
  /// of `audio_languages` that the input has: the best track if it is in that language, otherwise the first
  /// one. If the input has none of the languages, plays the best track.
  int audio_track = 0;
  std::vector<std::string> audio_languages = {};
  CopiedKinds copied = {};  ///< with AudioDelivery::WithFrames or None: what copied() returns
  bool discards_video =
      false;  ///< whether read() returns no frames and decodes none: to copy the other tracks alone
  bool want_subtitles = false;   ///< keep packets of subtitle streams for try_read_subtitle()
  bool reports_skipped = false;  ///< whether read() returns Skipped for frames before the target of a seek
  std::stop_token stop = {};     ///< a request to stop makes open() return soon, with an error
  /// The part to read. It starts with an exact seek: earlier frames are decoded and dropped. The stream ends
  /// before the first frame at or after the end of this part.
  RequestedRange range = {};
  std::optional<Rational> aspect = {};  ///< width to height of the shown picture; empty: the input's
  std::uint32_t background = 0;         ///< 0xRRGGBB: drawn behind transparent pictures
  StageTimes* times = nullptr;          ///< receives decoding times; may be null
  HwDecodeChoice hwdec = HwDecodeChoice::No;
  /// Provides the devices for hardware decoding. The CPU decodes until DeferredHwDecode::bind() is called.
  /// Null: no devices are provided, and with HwDecodeChoice::Auto only the CPU decodes. Must outlive the
  /// Source.
  const DeferredHwDecode* hardware = nullptr;
  Deinterlacing deinterlace = Deinterlacing::Auto;
  /// Whether Ctrl-C and other requests to stop the program end read(). Set this if no player
  /// handles these requests.
  bool ends_on_interrupt = false;
  /// Set by tests to replace the calls to FFmpeg; null: FFmpeg is called. Must outlive the Source.
  HwDecodeBackend* hw_decode_backend = nullptr;
};

}  // namespace glyphreel::media
