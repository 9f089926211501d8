#include "player/subtitles/subtitle_track.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace glyphreel::player::subtitle_track_test {
namespace {

using media::SubtitleEvent;

constexpr double Never = std::numeric_limits<double>::infinity();

SubtitleEvent text(const std::string& words, double start, double end, int layer = 0, int order = 0) {
  SubtitleEvent event;
  event.start_seconds = start;
  event.end_seconds = end;
  event.lines = {{{.text = words}}};
  event.layer = layer;
  event.order = order;
  return event;
}

SubtitleEvent bitmap(double start, double end, int side = 4) {
  SubtitleEvent event;
  event.start_seconds = start;
  event.end_seconds = end;
  media::SubtitlePicture picture;
  picture.size = {side, side};
  picture.indices.assign(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 1);
  event.bitmap = std::make_shared<media::BitmapSubtitle>(media::BitmapSubtitle{{64, 48}, {picture}});
  return event;
}

SubtitleEvent clear(double start) {
  SubtitleEvent event;
  event.start_seconds = start;
  event.end_seconds = Never;
  return event;
}

std::string shown(const SubtitleTrack& track, double seconds) {
  std::string words;
  for (const auto& event : track.visible_at(seconds)) words += event->bitmap ? "#" : event->lines[0][0].text;
  return words;
}

TEST(SubtitleTrack, ShowsCurrentEvents) {
  SubtitleTrack track;
  EXPECT_EQ(shown(track, 0), "");
  track.add({text("a", 1, 3), text("b", 2, 4)}, 0);
  EXPECT_EQ(shown(track, 0.999), "");
  EXPECT_EQ(shown(track, 1), "a");
  EXPECT_EQ(shown(track, 2), "ab");
  EXPECT_EQ(shown(track, 3), "b");
  EXPECT_EQ(shown(track, 4), "");
}

TEST(SubtitleTrack, OrdersByLayerStartAndFile) {
  SubtitleTrack track;
  track.add({text("d", 1, 9, 1, 0), text("c", 2, 9), text("b", 1, 9, 0, 5), text("a", 1, 9, 0, 4),
             text("0", 0, 9, -1)},
            0);
  EXPECT_EQ(shown(track, 3), "0abcd");
}

TEST(SubtitleTrack, AcceptsEventsInAnyOrderOnce) {
  SubtitleTrack track;
  track.add({text("c", 5, 6), text("d", 7, 8)}, 0);
  track.add({text("a", 1, 2), text("b", 3, 4), text("c", 5, 6), text("d", 7, 8)}, 1);
  EXPECT_EQ(track.size(), 4U);
  EXPECT_EQ(shown(track, 1.5) + shown(track, 3.5) + shown(track, 5.5) + shown(track, 7.5), "abcd");
}

TEST(SubtitleTrack, SkipsImpossibleTimes) {
  SubtitleTrack track;
  track.add({text("a", 2, 2), text("b", 3, 1), text("c", std::nan(""), 4), text("d", 1, std::nan("")),
             text("e", -Never, 4)},
            0);
  EXPECT_EQ(track.size(), 0U);
}

TEST(SubtitleTrack, UnknownEndLastsUntilNextEvent) {
  SubtitleTrack track;
  track.add({bitmap(10, Never)}, 0);
  EXPECT_EQ(shown(track, 1e6), "#");
  track.add({clear(12)}, 0);
  EXPECT_EQ(shown(track, 11.9), "#");
  EXPECT_EQ(shown(track, 12), "");
  track.add({bitmap(20, Never, 3)}, 0);
  track.add({bitmap(22, Never, 2)}, 0);
  EXPECT_EQ(track.visible_at(21).size(), 1U);
  EXPECT_EQ(track.visible_at(23).size(), 1U);
}

TEST(SubtitleTrack, SeekDropsUnendedEvents) {
  SubtitleTrack track;
  track.add({bitmap(10, Never)}, 0);
  track.add({text("far", 500, 501)}, 1);
  EXPECT_EQ(shown(track, 100), "") << "the event is dropped, since its end was skipped";
  track.add({bitmap(10, Never)}, 2);
  track.add({clear(12)}, 2);
  EXPECT_EQ(shown(track, 11), "#");
  EXPECT_EQ(shown(track, 13), "");
  // Another seek reads the packet again. The track already knows that the event ends at 12 s.
  track.add({bitmap(10, Never)}, 3);
  EXPECT_EQ(shown(track, 13), "");
  // The new event that starts at 8 s must end at 10 s, where the next event starts, even though the track
  // already contains that next event.
  track.add({bitmap(8, Never, 7), bitmap(10, Never)}, 4);
  EXPECT_EQ(track.visible_at(9).size(), 1U);
  EXPECT_EQ(track.visible_at(11).size(), 1U);
}

TEST(SubtitleTrack, BitmapIsReplacedByNext) {
  SubtitleTrack track;
  track.add({bitmap(1, 30), bitmap(3, 5, 3)}, 0);
  EXPECT_EQ(track.visible_at(4).size(), 1U);
  EXPECT_EQ(track.visible_at(6).size(), 0U);
}

TEST(SubtitleTrack, BitmapMemoryIsBounded) {
  SubtitleTrack track(200'000);
  for (int i = 0; i < 100; ++i) track.add({bitmap(i, i + 0.5, 100)}, 0);
  EXPECT_EQ(shown(track, 99.2), "#");
  EXPECT_EQ(shown(track, 5.2), "");
  EXPECT_LE(track.size(), 20U);
  EXPECT_GE(track.size(), 10U);
  for (int i = 0; i < 5; ++i) track.add({bitmap(i, i + 0.5, 100)}, 1);
  EXPECT_EQ(shown(track, 4.2), "#") << "after a seek back, events that are read again must be kept";
  EXPECT_EQ(shown(track, 99.2), "");
}

TEST(SubtitleTrack, MatchesLinearSearch) {
  std::mt19937 random(9);
  std::vector<SubtitleEvent> events;
  for (int i = 0; i < 700; ++i) {
    const double start = static_cast<int>(random() % 1000) / 10.0;
    events.push_back(text(std::to_string(i) + ",", start,
                          start + (random() % 50 == 0 ? 90 : static_cast<int>(random() % 30) / 10.0 + 0.1), 0,
                          i));
  }
  SubtitleTrack track;
  for (const SubtitleEvent& event : events) track.add({event}, 0);
  for (double at = -1; at < 110; at += 0.37) {
    std::size_t count = 0;
    for (const SubtitleEvent& event : events) {
      count += event.start_seconds <= at && at < event.end_seconds ? 1 : 0;
    }
    ASSERT_EQ(track.visible_at(at).size(), std::min(count, SubtitleTrack::MaxVisible)) << at;
  }
}

TEST(SubtitleTrack, HandlesHundredThousandEvents) {
  std::vector<SubtitleEvent> events;
  for (int i = 0; i < 100'000; ++i) events.push_back(text("x", i * 0.1, i * 0.1 + 0.09, 0, i));
  events.insert(events.begin(), text("sign", 0, 1e6));
  const auto track = SubtitleTrack::of_file(std::move(events));
  std::size_t seen = 0;
  for (int i = 0; i < 10'000; ++i) seen += track.visible_at(i + 0.05).size();
  EXPECT_EQ(seen, 20'000U);
}

TEST(SubtitleTrack, LimitsSimultaneousEvents) {
  std::vector<SubtitleEvent> events;
  for (int i = 0; i < 3000; ++i) events.push_back(text(std::to_string(i), 1, Never, 0, i));
  const auto track = SubtitleTrack::of_file(std::move(events));
  EXPECT_LE(track.size(), 1024U) << "comparing all pairs of more events would take minutes";
  EXPECT_EQ(track.visible_at(2).size(), SubtitleTrack::MaxVisible);
}

}  // namespace
}  // namespace glyphreel::player::subtitle_track_test
