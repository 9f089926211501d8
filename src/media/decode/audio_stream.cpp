#include "media/decode/audio_stream.h"

#include <fmt/format.h>

#include <string>

#include "media/input/input.h"

namespace glyphreel::media {
namespace {

/// Returns the priming that the container declares: a number (Matroska), or an index that starts before
/// zero (mp4).
int leading_samples(AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  if (parameters.initial_padding > 0) return parameters.initial_padding;
  const AVIndexEntry* first = avformat_index_get_entry(&stream, 0);
  if (first == nullptr || first->timestamp >= 0 || parameters.sample_rate <= 0) return 0;
  return static_cast<int>(av_rescale_q(-first->timestamp, stream.time_base, {1, parameters.sample_rate}));
}

}  // namespace

AVStream* choose_audio(Input& input, const AVStream& video, int wanted_track, VideoFacts& facts) {
  AVStream* chosen = input.best_audio(video);
  const AVFormatContext& format = input.format();
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    AVStream* stream = format.streams[i];
    if (stream->codecpar->codec_type != AVMEDIA_TYPE_AUDIO) continue;
    std::string description = avcodec_get_name(stream->codecpar->codec_id);
    for (const char* key : {"language", "title"}) {
      const AVDictionaryEntry* entry = av_dict_get(stream->metadata, key, nullptr, 0);
      if (entry != nullptr) description += fmt::format(", {}", entry->value);
    }
    facts.audio_tracks.push_back(std::move(description));
    const int number = static_cast<int>(facts.audio_tracks.size());
    if (number == wanted_track) chosen = stream;
    if (stream != chosen) continue;
    facts.audio_track = number;
    const AVDictionaryEntry* language = av_dict_get(stream->metadata, "language", nullptr, 0);
    facts.audio_language = language != nullptr ? language->value : "";
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

}  // namespace glyphreel::media
