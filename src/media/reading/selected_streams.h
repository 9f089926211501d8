#pragma once

#include <memory>
#include <vector>

#include "media/input/copied_content.h"
#include "media/input/input.h"
#include "media/reading/source_options.h"
#include "media/reading/time_range.h"
#include "media/stream/audio_stream.h"
#include "media/stream/video_facts.h"
#include "media/subtitle/subtitle_stream.h"
#include "media/subtitle/subtitle_tracks.h"

namespace glyphreel::media {

/// The streams of an input that a Source reads.
struct SelectedStreams {
  int video = 0;                                    ///< index of the video stream in the input
  int audio = -1;                                   ///< index of the audio stream; -1: no audio is delivered
  std::shared_ptr<const AudioStream> audio_stream;  ///< the stream with index `audio`; null: none
  std::shared_ptr<const CopiedContent> copied;      ///< null: nothing is copied
  std::vector<int> copied_tracks;                   ///< for each track in copied->tracks, its stream's index
  std::vector<SubtitleTrackInfo> subtitle_tracks;
  std::vector<SubtitleStream> subtitle_streams;  ///< parallel to subtitle_tracks

  /// Returns the indices of all selected streams.
  [[nodiscard]] std::vector<int> indices() const;
  /// Returns the position of `stream_index` in copied_tracks; -1 if that stream is not copied.
  [[nodiscard]] int copied_track(int stream_index) const;
  /// Returns the selected subtitle stream with this index in the input; null if there is none.
  [[nodiscard]] const SubtitleStream* subtitles(int stream_index) const;
};

/// Selects the streams that `options` request in addition to `video`. Stores all audio tracks and the chosen
/// one in `facts`. `range` is the part of the input that is read. Errors: Usage if SourceOptions::copied
/// requests a subtitle track that does not exist.
[[nodiscard]] Result<SelectedStreams> select_streams(const SourceOptions& options, const TimeRange& range,
                                                     Input& input, const AVStream& video, VideoFacts& facts);

}  // namespace glyphreel::media
