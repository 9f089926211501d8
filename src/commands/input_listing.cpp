#include "commands/input_listing.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/io/printable.h"

namespace glyphreel::commands {
namespace {

using nlohmann::json;

json known(const std::string& text) {
  return text.empty() ? json() : json(text);
}

template <typename Number>
json known(Number number) {
  return number > 0 ? json(number) : json();
}

json tags_json(const std::vector<media::Tag>& tags) {
  json object = json::object();
  for (const media::Tag& tag : tags) object[tag.name] = tag.value;
  return object;
}

/// Returns a reduced ratio as text, such as "16:9".
std::string ratio_text(Rational ratio) {
  const std::int64_t divisor = std::max<std::int64_t>(1, std::gcd(ratio.numerator, ratio.denominator));
  return fmt::format("{}:{}", ratio.numerator / divisor, ratio.denominator / divisor);
}

json video_json(const media::VideoListing& video) {
  const Rational sample = video.sample_aspect_ratio;
  return {{"width", video.size.width},
          {"height", video.size.height},
          {"pixel_format", known(video.pixel_format)},
          {"fps", known(video.fps)},
          {"sample_aspect_ratio", ratio_text(sample)},
          {"display_aspect_ratio",
           ratio_text({sample.numerator * video.size.width, sample.denominator * video.size.height})},
          {"rotation", video.rotation_degrees},
          {"primaries", known(video.primaries)},
          {"transfer", known(video.transfer)},
          {"matrix", known(video.matrix)},
          {"range", known(video.color_range)},
          {"hdr", known(video.hdr)},
          {"peak_nits", known(video.peak_nits)},
          {"attached_picture", video.is_attached_picture}};
}

json stream_json(const media::StreamListing& stream) {
  json object = {{"index", stream.index},
                 {"kind", stream.kind},
                 {"codec", stream.codec},
                 {"profile", known(stream.profile)},
                 {"bit_rate", known(stream.bits_per_second)},
                 {"language", known(stream.language)},
                 {"default", stream.is_default},
                 {"forced", stream.is_forced},
                 {"encrypted", stream.is_encrypted},
                 {"tags", tags_json(stream.tags)}};
  if (stream.video) object.update(video_json(*stream.video));
  if (stream.audio) {
    object["sample_rate"] = stream.audio->sample_rate;
    object["channels"] = stream.audio->channels;
    object["channel_layout"] = known(stream.audio->layout);
  }
  return object;
}

/// Returns a time as text, such as "1:02:03.500".
std::string time_text(double seconds) {
  const long long ms = std::llround(seconds * 1000);
  return fmt::format("{}:{:02}:{:02}.{:03}", ms / 3'600'000, ms / 60'000 % 60, ms / 1000 % 60, ms % 1000);
}

std::string bit_rate_text(std::int64_t bits_per_second) {
  return bits_per_second > 0 ? fmt::format(", {} kb/s", (bits_per_second + 500) / 1000) : "";
}

std::string video_text(const media::VideoListing& video) {
  std::string text = fmt::format(", {}x{}", video.size.width, video.size.height);
  if (video.sample_aspect_ratio.numerator != video.sample_aspect_ratio.denominator) {
    text += fmt::format(" (pixels {})", ratio_text(video.sample_aspect_ratio));
  }
  if (!video.pixel_format.empty()) text += fmt::format(", {}", video.pixel_format);
  if (video.fps > 0) text += fmt::format(", {:.6g} fps", video.fps);
  if (video.rotation_degrees != 0) text += fmt::format(", rotated {} degrees", video.rotation_degrees);
  if (!video.hdr.empty()) {
    text += fmt::format(", HDR ({}{})", video.hdr == "pq" ? "PQ" : "HLG",
                        video.peak_nits > 0 ? fmt::format(", peak {} cd/m2", video.peak_nits) : "");
  }
  if (video.is_attached_picture) text += ", attached picture";
  return text;
}

std::string stream_text(const media::StreamListing& stream) {
  std::string text = stream.codec;
  if (!stream.profile.empty()) text += fmt::format(" ({})", stream.profile);
  if (stream.video) text += video_text(*stream.video);
  if (stream.audio) text += fmt::format(", {} Hz, {}", stream.audio->sample_rate, stream.audio->layout);
  text += bit_rate_text(stream.bits_per_second);
  if (!stream.language.empty()) text += fmt::format(", {}", stream.language);
  if (stream.is_forced) text += ", forced";
  if (stream.is_encrypted) text += ", encrypted";
  return fmt::format("#{} {:<9} {}\n", stream.index, stream.kind, printable(text));
}

}  // namespace

json input_json(const media::InputListing& listing) {
  json chapters = json::array();
  for (const auto& chapter : listing.chapters) {
    chapters.push_back({{"start_s", chapter.start_seconds},
                        {"end_s", chapter.end_seconds},
                        {"title", known(chapter.title)}});
  }
  json streams = json::array();
  for (const media::StreamListing& stream : listing.streams) streams.push_back(stream_json(stream));
  return {{"container", listing.container},
          {"container_title", known(listing.container_title)},
          {"duration_s", listing.duration_seconds ? json(*listing.duration_seconds) : json()},
          {"bit_rate", known(listing.bits_per_second)},
          {"tags", tags_json(listing.tags)},
          {"chapters", std::move(chapters)},
          {"streams", std::move(streams)}};
}

std::string input_text(const media::InputListing& listing) {
  const std::string& title = listing.container_title.empty() ? listing.container : listing.container_title;
  std::string text =
      fmt::format("Container  {}{}\n", printable(title), bit_rate_text(listing.bits_per_second));
  text += fmt::format("Duration   {}\n",
                      listing.duration_seconds ? time_text(*listing.duration_seconds) : "unknown");
  for (const media::Tag& tag : listing.tags) {
    text += fmt::format("Tag        {}\n", printable(fmt::format("{}: {}", tag.name, tag.value)));
  }
  for (const media::StreamListing& stream : listing.streams) text += stream_text(stream);
  for (std::size_t i = 0; i < listing.chapters.size(); ++i) {
    const auto& chapter = listing.chapters[i];
    text += fmt::format("Chapter {:<2} {}{}{}\n", i + 1, time_text(chapter.start_seconds),
                        chapter.title.empty() ? "" : "  ", printable(chapter.title));
  }
  return text;
}

}  // namespace glyphreel::commands
