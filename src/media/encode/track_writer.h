#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/export_formats.h"
#include "media/encode/audio_transcoder.h"
#include "media/encode/output_file.h"
#include "media/encode/progressive_file.h"
#include "media/encode/subtitle_transcoder.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/audio_stream.h"

extern "C" {
#include <libavcodec/bsf.h>
}

namespace glyphreel::media {

/// Where the packets of one audio or subtitle track are written. Time zero in the file is the source time
/// `origin`, in units of `origin_unit` seconds.
struct TrackPlacement {
  OutputFile* file = nullptr;
  VideoContainer container;
  std::int64_t origin = 0;
  AVRational origin_unit{1, 1};
  int stream = -1;  ///< index of the track's stream in the file; -1: not added

  /// Subtracts the origin from the packet's times.
  void shift(AVPacket& packet, AVRational time_base) const;
  /// Subtracts the origin from the packet's times and writes the packet. Drops packets before time zero that
  /// the container cannot contain. Errors: Failed.
  [[nodiscard]] Result<void> write(PacketPtr packet, AVRational time_base) const;
};

/// Writes one audio or subtitle track. Copies the packets if the container supports the codec, and transcodes
/// them otherwise. Subtitles for mp4 and mov are held in memory until the file is made progressive. In
/// fragments, FFmpeg's muxer would write wrong times for packets of the other tracks wherever a subtitle
/// ends.
/// Thread-safety: one thread at a time.
class TrackWriter {
 public:
  using BitstreamFilterPtr = std::unique_ptr<AVBSFContext, FreeIndirect<av_bsf_free>>;

  /// Adds the track to the file; call before OutputFile::start(). `transcodes`: whether to transcode the
  /// track even if the container supports its codec. Errors: Failed if this FFmpeg cannot convert the track.
  [[nodiscard]] static Result<std::unique_ptr<TrackWriter>> open(const TrackPlacement& placement,
                                                                 const AudioStream& track, bool transcodes);

  /// Writes a packet of the track. A damaged packet is dropped and counted. Errors: Failed.
  [[nodiscard]] Result<void> write(const AudioPacket& packet);
  /// Writes the packets that the encoder still contains. Errors: Failed.
  [[nodiscard]] Result<void> finish();

  /// Returns the track if it is held in memory; null if it is in the file.
  [[nodiscard]] const HeldTrack* held() const { return held_ ? &*held_ : nullptr; }
  [[nodiscard]] bool copies() const { return !audio_transcoder_ && !subtitle_transcoder_; }
  [[nodiscard]] std::int64_t damaged_packets() const { return damaged_packets_; }

 private:
  explicit TrackWriter(const TrackPlacement& placement) : placement_(placement) {}
  [[nodiscard]] Result<void> add_copied(const AudioStream& track);
  [[nodiscard]] Result<void> add_audio(const AudioStream& track);
  [[nodiscard]] Result<void> add_subtitles(const AudioStream& track);
  [[nodiscard]] Result<void> copy(const AudioPacket& packet);
  [[nodiscard]] bool strip_adts(AVPacket& packet);
  void add(const AVCodecParameters& parameters, AVRational time_base, const AudioStream& source);
  [[nodiscard]] Result<void> write_or_hold(PacketPtr packet, AVRational time_base);
  [[nodiscard]] Result<void> write_all(std::vector<PacketPtr> packets, AVRational time_base);

  TrackPlacement placement_;
  std::unique_ptr<AudioTranscoder> audio_transcoder_;
  std::unique_ptr<SubtitleTranscoder> subtitle_transcoder_;
  std::optional<HeldTrack> held_;
  BitstreamFilterPtr adts_filter_;  ///< null if the packets need no filter
  std::int64_t last_dts_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t next_pts_ = 0;
  std::int64_t damaged_packets_ = 0;
};

/// Whether a track with these parameters can be written to the container, either copied or transcoded.
[[nodiscard]] bool can_write_track(const VideoContainer& container, const AVCodecParameters& parameters);

}  // namespace glyphreel::media
