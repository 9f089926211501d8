#pragma once

#include <memory>
#include <string>

#include "base/rational.h"
#include "media/cells/sound_writer.h"
#include "media/encode/audio_transcoder.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/audio_stream.h"

namespace glyphreel::media {

/// Transcodes audio to an Ogg Opus file. If the audio begins up to an hour after time 0, the file begins with
/// silence, because players disagree about files that do not begin at time 0: Chromium skips the time before
/// the first sample, and a file of a single page cannot state when it begins (RFC 7845, section 4.5).
/// Thread-safety: one thread at a time.
class OggOpusWriter final : public SoundWriter {
 public:
  /// See open_ogg_opus().
  [[nodiscard]] static Result<std::unique_ptr<OggOpusWriter>> open(const AudioStream& audio,
                                                                   double origin_seconds);
  ~OggOpusWriter() override;
  OggOpusWriter(const OggOpusWriter&) = delete;
  OggOpusWriter& operator=(const OggOpusWriter&) = delete;

  Result<void> write(const AudioPacket& packet) override;
  Result<void> finish() override;
  std::string take_bytes() override { return std::exchange(bytes_, {}); }

 private:
  OggOpusWriter() = default;
  [[nodiscard]] Result<void> start(const AudioStream& audio);
  [[nodiscard]] Result<void> write_header(std::int64_t first_pts);
  [[nodiscard]] Result<void> mux(std::vector<PacketPtr> packets);
  static int append(void* opaque, WrittenByte* bytes, int size);

  std::unique_ptr<AudioTranscoder> transcoder_;
  AVFormatContext* format_ = nullptr;
  std::int64_t origin_ = 0;  ///< the source's time that becomes time 0 of the file, in samples
  bool has_header_ = false;
  std::string bytes_;
};

}  // namespace glyphreel::media
