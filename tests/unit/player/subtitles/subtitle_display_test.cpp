#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "player/subtitles/subtitle_display.h"

#include "../playback/fake_source.h"

namespace glyphreel::player::subtitle_display_test {
namespace {

/// Shows one line of text, from 10.1 to 11.7 s.
class SubtitleDisplayDelay : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = testing::TempDir() + "subtitle_display.srt";
    std::ofstream(path) << "1\n00:00:10,100 --> 00:00:11,700\nA line\n";
    cli::Settings settings;
    settings.subtitles.file = path;
    display_.open(settings, source_, "clip.mkv");
    std::filesystem::remove(path);
    ASSERT_EQ(display_.selected(), 1) << display_.take_notice();
  }

  /// Whether text is on the screen at this position.
  bool is_shown(double seconds) {
    if (const std::optional<SubtitleDisplay::Change> change = display_.update(seconds, GridSize{40, 12})) {
      is_shown_ = !change->text.cells.empty();
    }
    return is_shown_;
  }

  FakeSource source_{FakeSource::regular(1)};
  SubtitleDisplay display_;
  bool is_shown_ = false;
};

TEST_F(SubtitleDisplayDelay, ShiftsTimes) {
  EXPECT_FALSE(is_shown(10));
  EXPECT_TRUE(is_shown(10.2));
  display_.set_delay(0.3);
  EXPECT_FALSE(is_shown(10.2));
  EXPECT_TRUE(is_shown(10.5));
  EXPECT_TRUE(is_shown(11.9));
  EXPECT_FALSE(is_shown(12.1));
  display_.set_delay(-2);
  EXPECT_TRUE(is_shown(8.2));
}

}  // namespace
}  // namespace glyphreel::player::subtitle_display_test
