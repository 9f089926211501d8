#include "media/reading/selected_streams.h"

namespace glyphreel::media {

std::vector<int> SelectedStreams::indices() const {
  std::vector<int> all{video};
  if (audio >= 0) all.push_back(audio);
  for (const SubtitleTrackInfo& track : subtitle_tracks) all.push_back(track.stream_index);
  return all;
}

const SubtitleStream* SelectedStreams::subtitles(int stream_index) const {
  for (std::size_t i = 0; i < subtitle_tracks.size(); ++i) {
    if (subtitle_tracks[i].stream_index == stream_index) return &subtitle_streams[i];
  }
  return nullptr;
}

SelectedStreams select_streams(const SourceOptions& options, Input& input, const AVStream& video,
                               VideoFacts& facts) {
  SelectedStreams selected{.video = video.index};
  if (options.audio != AudioDelivery::None) {
    if (AVStream* found = choose_audio(input, video, options.audio_track, facts)) {
      selected.audio = found->index;
      selected.sound = describe_audio(*found);
    }
  }
  if (options.want_subtitles) {
    selected.subtitle_tracks = list_subtitle_streams(input.format());
    for (const SubtitleTrackInfo& track : selected.subtitle_tracks) {
      const AVStream& stream = *input.format().streams[track.stream_index];
      selected.subtitle_streams.push_back(describe_subtitles(stream, facts.size));
    }
  }
  return selected;
}

}  // namespace glyphreel::media
