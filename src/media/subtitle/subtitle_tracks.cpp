#include "media/subtitle/subtitle_tracks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {
namespace {

/// The codes of one language in ISO 639-1 and ISO 639-2/T, and its ISO 639-2/B code if that differs.
struct LanguageCodes {
  std::string_view two, terminological, bibliographic;
};
// clang-format off
constexpr std::array Languages = {
    LanguageCodes{"ar", "ara", ""},    LanguageCodes{"bg", "bul", ""},    LanguageCodes{"bn", "ben", ""},
    LanguageCodes{"ca", "cat", ""},    LanguageCodes{"cs", "ces", "cze"}, LanguageCodes{"da", "dan", ""},
    LanguageCodes{"de", "deu", "ger"}, LanguageCodes{"el", "ell", "gre"}, LanguageCodes{"en", "eng", ""},
    LanguageCodes{"es", "spa", ""},    LanguageCodes{"et", "est", ""},    LanguageCodes{"eu", "eus", "baq"},
    LanguageCodes{"fa", "fas", "per"}, LanguageCodes{"fi", "fin", ""},    LanguageCodes{"fr", "fra", "fre"},
    LanguageCodes{"gl", "glg", ""},    LanguageCodes{"he", "heb", ""},    LanguageCodes{"hi", "hin", ""},
    LanguageCodes{"hr", "hrv", ""},    LanguageCodes{"hu", "hun", ""},    LanguageCodes{"id", "ind", ""},
    LanguageCodes{"is", "isl", "ice"}, LanguageCodes{"it", "ita", ""},    LanguageCodes{"ja", "jpn", ""},
    LanguageCodes{"ko", "kor", ""},    LanguageCodes{"lt", "lit", ""},    LanguageCodes{"lv", "lav", ""},
    LanguageCodes{"mk", "mkd", "mac"}, LanguageCodes{"ms", "msa", "may"}, LanguageCodes{"nb", "nob", ""},
    LanguageCodes{"nl", "nld", "dut"}, LanguageCodes{"no", "nor", ""},    LanguageCodes{"pl", "pol", ""},
    LanguageCodes{"pt", "por", ""},    LanguageCodes{"ro", "ron", "rum"}, LanguageCodes{"ru", "rus", ""},
    LanguageCodes{"sk", "slk", "slo"}, LanguageCodes{"sl", "slv", ""},    LanguageCodes{"sq", "sqi", "alb"},
    LanguageCodes{"sr", "srp", ""},    LanguageCodes{"sv", "swe", ""},    LanguageCodes{"ta", "tam", ""},
    LanguageCodes{"te", "tel", ""},    LanguageCodes{"th", "tha", ""},    LanguageCodes{"tr", "tur", ""},
    LanguageCodes{"uk", "ukr", ""},    LanguageCodes{"vi", "vie", ""},    LanguageCodes{"zh", "zho", "chi"}};
// clang-format on

// "txt" and "js" are left out because files with these extensions next to a video are usually not subtitles.
constexpr const char* SubtitleEndings =
    "srt,ass,ssa,vtt,sub,idx,sup,pgs,mks,smi,sami,rt,jss,mpl,mpl2,pjs,stl,lrc";

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Returns the language code without its region, converted to ISO 639-1 if Languages lists it; empty for
/// "und".
std::string canonical_language(const std::string& code) {
  const std::string language = in_lower_case(code.substr(0, code.find_first_of("-_")));
  for (const LanguageCodes& codes : Languages) {
    if (language == codes.terminological || (!codes.bibliographic.empty() && language == codes.bibliographic))
      return std::string(codes.two);
  }
  return language == "und" ? std::string() : language;
}

/// Whether `text` looks like a language code in a file name: "en", "eng", "pt-BR", "zh-Hans".
bool looks_like_language(std::string_view text) {
  const std::string_view language = text.substr(0, text.find_first_of("-_"));
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  return (language.size() == 2 || language.size() == 3) && text.size() <= 12 &&
         std::all_of(language.begin(), language.end(), is_letter);
}

/// Parses the part of a file name between the video's name and the extension, for example ".en.forced".
/// Returns false for any other text, so that clip.2.srt does not match clip.mkv.
bool read_name_parts(std::string_view parts, SubtitleTrackInfo& track) {
  while (!parts.empty()) {
    if (parts.front() != '.') return false;
    parts.remove_prefix(1);
    const std::string_view part = parts.substr(0, parts.find('.'));
    const std::string word = in_lower_case(std::string(part));
    if (word == "forced") {
      track.is_forced = true;
    } else if (word == "default") {
      track.is_default = true;
    } else if (word == "sdh" || word == "cc" || word == "hi") {  // for the hard of hearing
    } else if (track.language.empty() && looks_like_language(part)) {
      track.language = part;
    } else {
      return false;
    }
    parts.remove_prefix(part.size());
  }
  return true;
}

}  // namespace

std::vector<SubtitleTrackInfo> list_subtitle_streams(const AVFormatContext& format) {
  std::vector<SubtitleTrackInfo> tracks;
  for (const AVStream* stream : streams_of(format)) {
    const AVCodecID codec = stream->codecpar->codec_id;
    if (stream->codecpar->codec_type != AVMEDIA_TYPE_SUBTITLE || avcodec_find_decoder(codec) == nullptr)
      continue;
    SubtitleTrackInfo track;
    track.stream_index = stream->index;
    track.codec = avcodec_get_name(codec);
    track.language = metadata_value(stream->metadata, "language");
    if (track.language == "und") track.language.clear();
    track.title = metadata_value(stream->metadata, "title");
    track.is_default = (stream->disposition & AV_DISPOSITION_DEFAULT) != 0;
    track.is_forced = (stream->disposition & AV_DISPOSITION_FORCED) != 0;
    const AVCodecDescriptor* descriptor = avcodec_descriptor_get(codec);
    track.is_bitmap = descriptor != nullptr && (descriptor->props & AV_CODEC_PROP_BITMAP_SUB) != 0;
    tracks.push_back(std::move(track));
  }
  return tracks;
}

std::optional<std::size_t> default_subtitle_track(const std::vector<SubtitleTrackInfo>& tracks,
                                                  const std::string& audio_language,
                                                  const std::vector<std::string>& wanted) {
  const auto first = [&](auto fits) -> std::optional<std::size_t> {
    const auto found = std::find_if(tracks.begin(), tracks.end(), fits);
    if (found == tracks.end()) return {};
    return static_cast<std::size_t>(found - tracks.begin());
  };
  for (const std::string& language : wanted) {
    const auto spoken = first(
        [&](const auto& track) { return !track.is_forced && is_same_language(track.language, language); });
    if (spoken) return spoken;
  }
  if (const auto file = first([](const auto& track) { return track.is_file() && !track.is_forced; }))
    return file;
  const auto forced = first(
      [&](const auto& track) { return track.is_forced && is_same_language(track.language, audio_language); });
  if (forced) return forced;
  return first([](const auto& track) { return track.is_default && !track.is_forced; });
}

bool is_same_language(const std::string& a, const std::string& b) {
  const std::string one = canonical_language(a);
  return !one.empty() && one == canonical_language(b);
}

bool has_subtitle_ending(const std::string& path) {
  return av_match_ext(path.c_str(), SubtitleEndings) != 0;
}

std::vector<SubtitleTrackInfo> find_subtitle_files(const std::string& video_path) {
  namespace fs = std::filesystem;
  std::vector<SubtitleTrackInfo> tracks;
  const fs::path video(video_path);
  std::error_code error;
  if (video_path.empty() || video_path == "-" || !fs::is_regular_file(video, error)) return tracks;
  const std::string stem = in_lower_case(video.stem().string());
  const fs::path folder = video.parent_path().empty() ? fs::path(".") : video.parent_path();
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    const fs::path name = file->path().filename();
    const std::string rest = in_lower_case(name.stem().string());
    if (!rest.starts_with(stem) || !has_subtitle_ending(name.string()) || name == video.filename()) continue;
    // FFmpeg does not detect the format of VobSub's .sub file. If there is an .idx file with the same name,
    // skip the .sub file, because the .idx file is listed instead.
    std::error_code ignored;
    const bool is_sub = in_lower_case(name.extension().string()) == ".sub";
    if (is_sub && fs::exists(fs::path(file->path()).replace_extension(".idx"), ignored)) continue;
    if (!fs::is_regular_file(file->path(), ignored)) continue;
    SubtitleTrackInfo track;
    track.path = video.parent_path().empty() ? name.string() : file->path().string();
    if (read_name_parts(std::string_view(name.native()).substr(stem.size(), rest.size() - stem.size()),
                        track))
      tracks.push_back(std::move(track));
  }
  std::sort(tracks.begin(), tracks.end(), [](const auto& a, const auto& b) {
    return a.language.empty() != b.language.empty() ? a.language.empty() : a.path < b.path;
  });
  return tracks;
}

}  // namespace glyphreel::media
