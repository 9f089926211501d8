#pragma once

#include <memory>
#include <string>

#include "base/rational.h"
#include "media/cells/sound_writer.h"
#include "media/encode/audio_transcoder.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/audio_stream.h"

namespace glyphreel::media {

/// Transcodes audio to an Ogg Opus file.
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
  [[nodiscard]] Result<void> mux(std::vector<PacketPtr> packets);
  static int append(void* opaque, WrittenByte* bytes, int size);

  std::unique_ptr<AudioTranscoder> transcoder_;
  AVFormatContext* format_ = nullptr;
  double origin_seconds_ = 0;
  std::string bytes_;
};

}  // namespace glyphreel::media
