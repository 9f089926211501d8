#pragma once

#include <vector>

#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/audio_stream.h"

namespace glyphreel::media {

/// What a recording copies from its input in addition to the video and Source::audio().
struct CopiedContent {
  struct Chapter {
    double start_seconds = 0, end_seconds = 0;  ///< on the input's timeline
    DictionaryPtr metadata;                     ///< such as the title
  };
  /// A picture that belongs to the whole file, such as the front of a DVD's case.
  struct Cover {
    AudioStream stream;
    PacketPtr picture;
  };
  std::vector<AudioStream> tracks;       ///< subtitle tracks and further audio tracks; see AudioPacket::track
  std::vector<AudioStream> attachments;  ///< files such as fonts; they have no packets
  std::vector<Cover> covers;
  std::vector<Chapter> chapters;
  DictionaryPtr metadata;        ///< metadata of the file
  DictionaryPtr video_metadata;  ///< metadata of the video track
};

/// Returns a copy of the metadata without the entries that describe the input's file or encoding, such as
/// its bit rate.
[[nodiscard]] DictionaryPtr copy_metadata(const AVDictionary* metadata);

/// Returns the chapters that overlap the range from `from` to `to`, each cut to this range. Both times are in
/// seconds on the input's timeline.
[[nodiscard]] std::vector<CopiedContent::Chapter> chapters_between(const AVFormatContext& format, double from,
                                                                   double to);

}  // namespace glyphreel::media
