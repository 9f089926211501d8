#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "media/stream/source_item.h"

namespace glyphreel::media {

/// Transcodes audio to a file in memory. While the file grows, the caller fetches its bytes with
/// take_bytes(). Thread-safety: one thread at a time.
class SoundWriter {
 public:
  virtual ~SoundWriter() = default;
  /// Errors: Failed.
  [[nodiscard]] virtual Result<void> write(const AudioPacket& packet) = 0;
  /// Completes the file. Errors: Failed.
  [[nodiscard]] virtual Result<void> finish() = 0;
  /// Returns the bytes added to the file since the previous call.
  [[nodiscard]] virtual std::string take_bytes() = 0;
};

/// Opens a writer of an Ogg Opus file. `origin_seconds` of the source becomes time 0 of the file; earlier
/// audio is dropped. Errors: Failed if this FFmpeg cannot transcode the audio.
[[nodiscard]] Result<std::unique_ptr<SoundWriter>> open_ogg_opus(const AudioStream& audio,
                                                                 double origin_seconds);

}  // namespace glyphreel::media
