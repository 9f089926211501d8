#pragma once

#include <memory>
#include <vector>

#include "media/decode/audio_stream.h"
#include "media/input/input.h"
#include "media/reading/source_options.h"
#include "media/stream/video_facts.h"
#include "media/subtitle/subtitle_stream.h"
#include "media/subtitle/subtitle_tracks.h"

namespace glyphreel::media {

/// The streams of an input that a Source reads.
struct SelectedStreams {
  int video = 0;                                    ///< index of the video stream in the input
  int audio = -1;                                   ///< index of the audio stream; -1: no audio is delivered
  std::shared_ptr<const AudioStream> audio_stream;  ///< the stream with index `audio`; null: none
  std::vector<SubtitleTrackInfo> subtitle_tracks;
  std::vector<SubtitleStream> subtitle_streams;  ///< parallel to subtitle_tracks

  /// Returns the indices of all selected streams.
  [[nodiscard]] std::vector<int> indices() const;
  /// Returns the subtitle stream with that index in the input; null if there is none.
  [[nodiscard]] const SubtitleStream* subtitles(int stream_index) const;
};

/// Selects the streams that `options` request in addition to `video`. Lists the audio tracks in `facts`.
[[nodiscard]] SelectedStreams select_streams(const SourceOptions& options, Input& input,
                                             const AVStream& video, VideoFacts& facts);

}  // namespace glyphreel::media
