#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/host_memory.h"
#include "base/threads/stage_times.h"
#include "media/decode/deinterlacing.h"
#include "media/hwdec/hw_decode_choice.h"

namespace glyphreel::media {

/// How a Source delivers audio.
enum class AudioDelivery {
  None,
  WithFrames,  ///< packets come from read(), in file order: for recording
  Apart,       ///< packets come from read_audio(), for a separate thread: for playback
};

/// Which frame follows a seek.
enum class SeekMode {
  Exact,           ///< the first at or after the target
  KeyframeBefore,  ///< the last keyframe at or before it: fast
  KeyframeAfter,   ///< the first keyframe at or after it; if there is none, as KeyframeBefore
  FrameBefore,     ///< the last one before it, then those after that
};

class HwDecodeBackend;

struct SourceOptions {
  std::string url;  ///< a file, a URL, "-" for standard input
  int threads = 0;  ///< decoder threads; 0: one per CPU
  HostMemory* memory =
      nullptr;  ///< frames are decoded into it; null: FFmpeg's own buffers. Must outlive the Source
  AudioDelivery audio = AudioDelivery::None;
  int audio_track = 0;          ///< number of the track to play, from 1; 0, or a missing one: the best
  bool want_subtitles = false;  ///< keep the packets of subtitle streams for try_read_subtitle()
  bool tells_skipped = false;   ///< read() returns Skipped for frames before a seek's target
  std::stop_token stop = {};    ///< a request makes open() return soon, with an error
  std::optional<double> start_seconds;  ///< seek here first (exact: earlier frames are decoded and dropped)
  std::optional<double> end_seconds;    ///< frames at or after this time end the stream
  std::uint32_t background = 0;         ///< 0xRRGGBB: drawn behind transparent pictures
  StageTimes* times = nullptr;          ///< receives decoding times; may be null
  HwDecodeChoice hwdec = HwDecodeChoice::No;
  const DeferredHwDecode* hardware = nullptr;  ///< null: only what `hwdec` names. Must outlive the Source
  Deinterlacing deinterlace = Deinterlacing::Auto;
  bool ends_on_interrupt =
      false;  ///< read() ends once the user asks the program to stop: for work without a player
  HwDecodeBackend* hw_decode_backend = nullptr;  ///< replaces FFmpeg's, for tests. Must outlive the Source
};

}  // namespace glyphreel::media
