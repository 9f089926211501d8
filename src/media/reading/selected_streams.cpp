#include "media/reading/selected_streams.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace glyphreel::media {
namespace {

/// Returns the number of priming samples that the container declares. Matroska stores this number. In MP4,
/// the stream's index starts before time zero by the duration of these samples.
int leading_samples(AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  if (parameters.initial_padding > 0) return parameters.initial_padding;
  const AVIndexEntry* first = avformat_index_get_entry(&stream, 0);
  if (first == nullptr || first->timestamp >= 0 || parameters.sample_rate <= 0) return 0;
  return static_cast<int>(av_rescale_q(-first->timestamp, stream.time_base, {1, parameters.sample_rate}));
}

/// Finds the first of `languages` in which the input has audio. Returns `best` if it is in this language;
/// otherwise, returns the first audio stream in this language. Returns `best` if the input has audio in none
/// of the languages.
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

/// Returns the audio stream to play with `video`, chosen by SourceOptions::audio_track and audio_languages;
/// null if the input has no audio. Stores all audio tracks and the chosen one in `facts`.
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

AudioStream describe(AVStream& stream) {
  const bool is_audio = stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
  return {.parameters = copy_of(*stream.codecpar),
          .time_base = stream.time_base,
          .leading_samples = is_audio ? leading_samples(stream) : 0,
          .disposition = stream.disposition,
          .metadata = copy_metadata(stream.metadata)};
}

/// Selects what a recording copies in addition to the video and the selected audio stream.
/// Errors: Usage if the requested subtitle track does not exist.
Result<void> select_copied(const CopiedKinds& kinds, const TimeRange& range, Input& input,
                           const AVStream& video, const VideoFacts& facts, SelectedStreams& selected) {
  const double origin = static_cast<double>(facts.start_pts) * facts.time_base.value();
  CopiedContent content;
  content.chapters = chapters_between(input.format(), range.start_seconds ? origin + *range.start_seconds : 0,
                                      origin + range.end_seconds.value_or(HUGE_VAL));
  content.metadata = copy_metadata(input.format().metadata);
  content.video_metadata = copy_metadata(video.metadata);
  int subtitles = 0;
  for (AVStream* stream : streams_of(input.format())) {
    const AVMediaType type = stream->codecpar->codec_type;
    const int number = type == AVMEDIA_TYPE_SUBTITLE ? ++subtitles : 0;
    if (type == AVMEDIA_TYPE_ATTACHMENT) content.attachments.push_back(describe(*stream));
    if ((stream->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0 && stream->attached_pic.size > 0 &&
        stream->index != video.index) {
      content.covers.push_back(
          {describe(*stream), PacketPtr(checked(av_packet_clone(&stream->attached_pic)))});
    }
    const bool is_wanted =
        (type == AVMEDIA_TYPE_AUDIO && kinds.audio && stream->index != selected.audio) ||
        (number > 0 && kinds.subtitles && (kinds.subtitle_track == 0 || kinds.subtitle_track == number));
    if (!is_wanted) continue;
    content.tracks.push_back(describe(*stream));
    selected.copied_tracks.push_back(stream->index);
  }
  selected.copied = std::make_shared<const CopiedContent>(std::move(content));
  if (kinds.subtitle_track <= subtitles) return {};
  return Error{ErrorCode::Usage,
               subtitles == 0
                   ? "The input has no subtitle tracks; omit --sid."
                   : fmt::format("The input has {} subtitle track{}; choose a lower --sid, or omit it.",
                                 subtitles, subtitles == 1 ? "" : "s"),
               ""};
}

}  // namespace

std::vector<int> SelectedStreams::indices() const {
  std::vector<int> all{video};
  if (audio >= 0) all.push_back(audio);
  all.insert(all.end(), copied_tracks.begin(), copied_tracks.end());
  for (const SubtitleTrackInfo& track : subtitle_tracks) all.push_back(track.stream_index);
  return all;
}

int SelectedStreams::copied_track(int stream_index) const {
  const auto found = std::ranges::find(copied_tracks, stream_index);
  return found == copied_tracks.end() ? -1 : static_cast<int>(found - copied_tracks.begin());
}

const SubtitleStream* SelectedStreams::subtitles(int stream_index) const {
  for (std::size_t i = 0; i < subtitle_tracks.size(); ++i) {
    if (subtitle_tracks[i].stream_index == stream_index) return &subtitle_streams[i];
  }
  return nullptr;
}

Result<SelectedStreams> select_streams(const SourceOptions& options, const TimeRange& range, Input& input,
                                       const AVStream& video, VideoFacts& facts) {
  SelectedStreams selected{.video = video.index};
  if (options.audio != AudioDelivery::None) {
    if (AVStream* found = choose_audio(input, video, options, facts)) {
      selected.audio = found->index;
      selected.audio_stream = std::make_shared<const AudioStream>(describe(*found));
    }
  }
  if (options.copied.is_enabled) TRY(select_copied(options.copied, range, input, video, facts, selected));
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
