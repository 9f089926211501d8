#pragma once

#include <memory>
#include <string>

#include "base/rational.h"
#include "media/stream/audio_stream.h"
#include "media/encode/audio_transcoder.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Transcodes audio to an Ogg Opus file, whose bytes are fetched while it grows.
/// Thread-safety: one thread at a time.
class OggOpusWriter {
 public:
  /// `origin_seconds` of the source becomes time 0 of the file; earlier audio is dropped. Errors: Failed if
  /// this FFmpeg cannot transcode the audio.
  [[nodiscard]] static Result<std::unique_ptr<OggOpusWriter>> open(const AudioStream& audio,
                                                                   double origin_seconds);
  ~OggOpusWriter();
  OggOpusWriter(const OggOpusWriter&) = delete;
  OggOpusWriter& operator=(const OggOpusWriter&) = delete;

  /// Errors: Failed.
  [[nodiscard]] Result<void> write(const AudioPacket& packet);
  /// Completes the file. Errors: Failed.
  [[nodiscard]] Result<void> finish();
  /// Returns the bytes that were not returned before.
  [[nodiscard]] std::string take_bytes() { return std::exchange(bytes_, {}); }

 private:
  OggOpusWriter() = default;
  [[nodiscard]] Result<void> start(const AudioStream& audio);
  [[nodiscard]] Result<void> mux(std::vector<PacketPtr> packets);
  static int append(void* opaque, WrittenByte* bytes, int size);

  std::unique_ptr<AudioTranscoder> transcoder_;
  AVFormatContext* format_ = nullptr;
  double origin_seconds_ = 0;
  std::string bytes_;
};

}  // namespace glyphreel::media
