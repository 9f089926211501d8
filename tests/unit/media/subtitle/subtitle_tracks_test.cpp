#include <gtest/gtest.h>

#include "media/subtitle/subtitle_tracks.h"

namespace glyphreel::media::subtitle_tracks_test {
namespace {

SubtitleTrackInfo stream(const char* language, bool is_default, bool is_forced) {
  SubtitleTrackInfo track;
  track.stream_index = 2;
  track.language = language;
  track.is_default = is_default;
  track.is_forced = is_forced;
  return track;
}

SubtitleTrackInfo file(const char* path) {
  SubtitleTrackInfo track;
  track.path = path;
  return track;
}

struct ChoiceCase {
  const char* what;
  std::vector<SubtitleTrackInfo> tracks;
  const char* audio_language;
  std::optional<std::size_t> expected;
};

TEST(DefaultSubtitleTrack, WantedLanguagesComeFirst) {
  const std::vector<SubtitleTrackInfo> tracks = {stream("eng", true, false), stream("fre", false, true),
                                                 stream("fra", false, false), stream("ger", false, false)};
  EXPECT_EQ(default_subtitle_track(tracks, "eng", {"ja", "de"}), 3);
  EXPECT_EQ(default_subtitle_track(tracks, "eng", {"fr", "de"}), 2) << "not the forced track";
  EXPECT_EQ(default_subtitle_track(tracks, "eng", {"ja"}), 0);
}

TEST(DefaultSubtitleTrack, Table) {
  const ChoiceCase cases[] = {
      {"none", {}, "eng", {}},
      {"no default or forced track", {stream("eng", false, false), stream("ger", false, false)}, "eng", {}},
      {"the default track", {stream("eng", false, false), stream("ger", true, false)}, "eng", 1},
      {"a forced track in the audio's language precedes the default track",
       {stream("fre", true, false), stream("eng", false, true)},
       "en",
       1},
      {"forced in another language", {stream("ger", true, true)}, "eng", {}},
      {"forced, and the audio's language is unknown", {stream("", true, true)}, "", {}},
      {"a file next to the video", {stream("eng", true, false), file("video.srt")}, "eng", 1},
      {"the first of several", {stream("a", true, false), stream("b", true, false)}, "", 0},
  };
  for (const ChoiceCase& c : cases)
    EXPECT_EQ(default_subtitle_track(c.tracks, c.audio_language), c.expected) << c.what;
}

TEST(SubtitleLanguages, TwoAndThreeLetters) {
  EXPECT_TRUE(is_same_language("en", "eng"));
  EXPECT_TRUE(is_same_language("ger", "deu"));
  EXPECT_TRUE(is_same_language("pt-BR", "por"));
  EXPECT_TRUE(is_same_language("EN", "en_US"));
  EXPECT_TRUE(is_same_language("tlh", "tlh")) << "not in the table";
  EXPECT_FALSE(is_same_language("en", "de"));
  EXPECT_FALSE(is_same_language("und", "und"));
  EXPECT_FALSE(is_same_language("", ""));
}

TEST(SubtitleEndings, Known) {
  EXPECT_TRUE(has_subtitle_ending("a/b.SRT"));
  EXPECT_TRUE(has_subtitle_ending("b.ass"));
  EXPECT_FALSE(has_subtitle_ending("b.mkv"));
  EXPECT_FALSE(has_subtitle_ending("srt"));
  EXPECT_FALSE(has_subtitle_ending("b."));
}

}  // namespace
}  // namespace glyphreel::media::subtitle_tracks_test
