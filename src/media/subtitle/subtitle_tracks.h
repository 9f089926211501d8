#pragma once

#include <optional>
#include <string>
#include <vector>

struct AVFormatContext;

namespace glyphreel::media {

/// A subtitle track that users can choose: a stream of the input, or a separate file.
struct SubtitleTrackInfo {
  int stream_index = -1;  ///< index in the input; -1: a separate file
  std::string path;       ///< path of a separate file; empty: a stream
  std::string codec;      ///< FFmpeg's name, for example "subrip"; empty: a file that was not opened yet
  std::string language;   ///< language code, such as "eng", from the container or file name; empty: unknown
  std::string title;      ///< empty: none
  bool is_default = false;
  bool is_forced = false;  ///< whether the track translates only passages in foreign languages
  bool is_bitmap = false;
  [[nodiscard]] bool is_file() const { return stream_index < 0; }
};

/// Lists the subtitle streams of an opened input that this FFmpeg can decode, in file order.
[[nodiscard]] std::vector<SubtitleTrackInfo> list_subtitle_streams(const AVFormatContext& format);

/// Returns the index in `tracks` of the track to show if the user did not choose one; empty: no track. Tries
/// the `wanted` languages in order, and returns the first track in that language that is not forced. If no
/// track qualifies, the order is mpv's: a subtitle file that is not forced, else a forced track in the
/// audio's language, else a track that is marked as default and not forced. `audio_language` is empty if
/// unknown.
[[nodiscard]] std::optional<std::size_t> default_subtitle_track(const std::vector<SubtitleTrackInfo>& tracks,
                                                                const std::string& audio_language,
                                                                const std::vector<std::string>& wanted = {});

/// Whether two language codes (ISO 639-1 or 639-2, with or without a region) mean the same language.
[[nodiscard]] bool is_same_language(const std::string& a, const std::string& b);

/// Finds the subtitle files in the video's folder that have the video's name, optionally followed by a
/// language and marks such as ".forced". Ignores case. For example, clip.srt, clip.en.ass and
/// clip.pt-BR.forced.vtt belong to clip.mkv. Files without a language come first; files are then sorted by
/// name. Returns no files for URLs and "-".
[[nodiscard]] std::vector<SubtitleTrackInfo> find_subtitle_files(const std::string& video_path);

/// Whether the name has a subtitle file extension.
[[nodiscard]] bool has_subtitle_ending(const std::string& path);

}  // namespace glyphreel::media
