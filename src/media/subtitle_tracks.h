#pragma once

#include <optional>
#include <string>
#include <vector>

struct AVFormatContext;

namespace glyphreel::media {

/// A subtitle track that can be chosen: a stream of the input, or a file beside it.
struct SubtitleTrackInfo {
  int stream_index = -1;  ///< in the input; -1: a file of its own
  std::string path;       ///< of the file; empty: a stream
  std::string codec;      ///< FFmpeg's name, "subrip" for example; empty for a file that has not been opened
  std::string language;   ///< as the container tells it, "en" or "eng"; empty: unknown
  std::string title;      ///< empty: none
  bool is_default = false;
  bool is_forced = false;  ///< translates foreign passages only
  bool for_hard_of_hearing = false;
  bool is_bitmap = false;
  [[nodiscard]] bool is_file() const { return stream_index < 0; }
};

/// The subtitle streams of an opened input that this FFmpeg can decode, in the file's order.
[[nodiscard]] std::vector<SubtitleTrackInfo> list_subtitle_streams(const AVFormatContext& format);

/// Which track to show where the user has not said, as mpv chooses: a file beside the video, else a forced
/// track in the language of the sound, else one that the container calls default and that is not forced, else
/// none. Of several, the first. Returns an index into `tracks`. `audio_language` is empty where unknown.
[[nodiscard]] std::optional<std::size_t> default_subtitle_track(const std::vector<SubtitleTrackInfo>& tracks,
                                                                const std::string& audio_language);

/// Whether two language codes (ISO 639-1 or 639-2, with or without a region) mean the same language.
[[nodiscard]] bool is_same_language(const std::string& a, const std::string& b);

/// Subtitle files in the video's folder whose names are the video's, with a language or without, in any case:
/// film.srt, film.en.ass, film.pt-BR.forced.vtt for film.mkv. Those without a language come first, then by
/// name. Empty for URLs and "-".
[[nodiscard]] std::vector<SubtitleTrackInfo> find_subtitle_files(const std::string& video_path);

/// Whether the name ends as subtitle files do.
[[nodiscard]] bool has_subtitle_ending(const std::string& path);

}  // namespace glyphreel::media
