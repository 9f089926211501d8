#include "media/reading/selected_streams.h"

#include <fmt/format.h>

namespace glyphreel::media {
namespace {

/// Returns the number of priming samples that the container declares: Matroska declares the number itself,
/// and MP4 has an index that starts before time zero.
int leading_samples(AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  if (parameters.initial_padding > 0) return parameters.initial_padding;
  const AVIndexEntry* first = avformat_index_get_entry(&stream, 0);
  if (first == nullptr || first->timestamp >= 0 || parameters.sample_rate <= 0) return 0;
  return static_cast<int>(av_rescale_q(-first->timestamp, stream.time_base, {1, parameters.sample_rate}));
}

/// Returns `best`, or, if it is in none of the languages, the first stream in the first language that the
/// input has.
AVStream* audio_in_languages(Input& input, AVStream* best, const std::vector<std::string>& languages) {
  const auto speaks = [](const AVStream* stream, const std::string& language) {
    return stream != nullptr && stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO &&
           is_same_language(metadata_value(stream->metadata, "language"), language);
  };
  for (const std::string& language : languages) {
    if (speaks(best, language)) return best;
    for (AVStream* stream : streams_of(input.format())) {
      if (speaks(stream, language)) return stream;
    }
  }
  return best;
}

/// Returns the audio stream to play with `video`, which SourceOptions::audio_track and audio_languages
/// select; null if there is no audio. Lists all tracks in `facts`.
AVStream* choose_audio(Input& input, const AVStream& video, const SourceOptions& options, VideoFacts& facts) {
  AVStream* chosen = audio_in_languages(input, input.best_audio(video), options.audio_languages);
  for (AVStream* stream : streams_of(input.format())) {
    if (stream->codecpar->codec_type != AVMEDIA_TYPE_AUDIO) continue;
    std::string description = avcodec_get_name(stream->codecpar->codec_id);
    for (const char* key : {"language", "title"}) {
      const std::string value = metadata_value(stream->metadata, key);
      if (!value.empty()) description += fmt::format(", {}", value);
    }
    facts.audio_tracks.push_back(std::move(description));
    const int number = static_cast<int>(facts.audio_tracks.size());
    if (number == options.audio_track) chosen = stream;
    if (stream != chosen) continue;
    facts.audio_track = number;
    facts.audio_language = metadata_value(stream->metadata, "language");
  }
  return chosen;
}

std::shared_ptr<const AudioStream> describe_audio(AVStream& stream) {
  auto described = std::make_shared<AudioStream>();
  described->parameters = copy_of(*stream.codecpar);
  described->time_base = stream.time_base;
  described->leading_samples = leading_samples(stream);
  return described;
}

}  // namespace

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
    if (AVStream* found = choose_audio(input, video, options, facts)) {
      selected.audio = found->index;
      selected.audio_stream = describe_audio(*found);
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
