#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "osd_samples.h"
#include "player/osd/help_page.h"
#include "player/osd/message.h"
#include "player/osd/statistics_page.h"

namespace glyphreel::player::osd_pages_test {
namespace {

using Lines = std::vector<std::string>;

Lines help_lines(GridSize grid, int page, const std::vector<HelpEntry>& entries = sample_help()) {
  render::TextLayer layer = blank_text_layer(grid);
  draw_help_page(TextCanvas(layer), entries, page);
  return lines_of(layer);
}

Lines statistics_lines(GridSize grid, const StatisticsFacts& facts = sample_statistics()) {
  render::TextLayer layer = blank_text_layer(grid);
  draw_statistics_page(TextCanvas(layer), facts);
  return lines_of(layer);
}

Lines message_lines(GridSize grid, const std::vector<OsdMessage>& messages, double now,
                    const Lines& status = {}, MessageSide side = MessageSide::Left) {
  render::TextLayer layer = blank_text_layer(grid);
  draw_messages(TextCanvas(layer), status, messages, now, side);
  return lines_of(layer);
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(OsdHelpPage, UsesColumns) {
  const std::vector<HelpEntry> entries = {{"p", "pause", "Play"},
                                          {"← →", "seek", "Play"},
                                          {"m", "mute", "Sound"},
                                          {"q", "quit", "Play"},
                                          {"9 0", "volume", "Sound"}};
  EXPECT_EQ(help_lines({30, 10}, 0, entries),
            (Lines{"       Keys", "       Play", "       p    pause", "       ← →  seek", "       q    quit",
                   "", "       Sound", "       m    mute", "       9 0  volume", ""}))
      << "entries of one group must be listed together";
  EXPECT_EQ(help_lines({30, 6}, 0, entries),
            (Lines{"  Keys", "  Play          Sound", "  p    pause    m    mute",
                   "  ← →  seek     9 0  volume", "  q    quit", ""}));
  EXPECT_EQ(help_page_count(entries, {30, 6}), 1);
  EXPECT_EQ(help_page_count(entries, {15, 5}), 2);
  EXPECT_EQ(help_lines({15, 5}, 1, entries),
            (Lines{" Keys      2/2", " Sound", " m    mute", " 9 0  volume", ""}));
  EXPECT_EQ(help_lines({15, 5}, 3, entries), help_lines({15, 5}, 1, entries)) << "pages wrap around";
  EXPECT_EQ(help_lines({15, 5}, -1, entries), help_lines({15, 5}, 1, entries));
}

TEST(OsdHelpPage, ShowsEveryEntryOnSomePage) {
  for (const GridSize grid :
       {GridSize{20, 6}, GridSize{40, 12}, GridSize{80, 24}, GridSize{160, 45}, GridSize{300, 20}}) {
    const int pages = help_page_count(sample_help(), grid);
    std::string all;
    for (int page = 0; page < pages; ++page) all += joined(help_lines(grid, page));
    for (const HelpEntry& entry : sample_help()) {
      EXPECT_NE(all.find(entry.does.substr(0, entry.does.find(' '))), std::string::npos) << entry.does;
    }
  }
  EXPECT_EQ(help_page_count(sample_help(), {160, 45}), 1);
  EXPECT_EQ(help_page_count(sample_help(), {80, 24}), 2);
  EXPECT_LE(help_page_count(sample_help(), {40, 12}), 5);
}

TEST(OsdHelpPage, KeepsKeysAndActionsOnOnePage) {
  const std::vector<HelpEntry> entries = {{"p", "pause", ""}, {"s", "one two three four", ""}};
  EXPECT_EQ(help_lines({14, 4}, 0, entries), (Lines{" Keys     1/2", " p", "  pause", ""}));
  EXPECT_EQ(help_lines({14, 4}, 1, entries), (Lines{" Keys     2/2", " s", "  one two", "  three four"}));
}

TEST(OsdHelpPage, HasOneEmptyPageWithoutEntries) {
  EXPECT_EQ(help_page_count({}, {40, 12}), 1);
  EXPECT_EQ(help_lines({20, 3}, 0, {}), (Lines{"", "  Keys", ""}));
}

TEST(OsdStatisticsPage, ShowsAllWhenItFits) {
  const Lines lines = statistics_lines({80, 30});
  const Lines head = {"",
                      "  Statistics",
                      "",
                      "  input    bbb-480p24.mp4",
                      "  video    h264 (High)  854x480  24 fps  yuv420p",
                      "  audio    aac, 48 kHz, stereo",
                      "  grid     160x45  cells of 8x16  ascii  shape  full  DejaVu Sans Mono",
                      "",
                      "  stage    engine                         ms    p99  recent",
                      "  decode   libavcodec h264, 2 threads    1.9    5.3  ▃▂▂▂▂▂▃▃▃▃▄▃▃▃▂▂▂▁▁▁▂▂▂▃▃"};
  EXPECT_EQ(Lines(lines.begin(), lines.begin() + 10), head);
  const Lines middle = {"  frames   23.98 fps  2 dropped  1 late  1204 repeated",
                        "  A/V      -1.4 ms  p99 4.8 ms", "  buffers  recording 3/16  10.2 s ahead",
                        "  memory   615 kB copied per frame  memory 141 MB"};
  EXPECT_EQ(Lines(lines.begin() + 16, lines.begin() + 20), middle);
  EXPECT_EQ(lines[21], "  jitter                          ±5 ms  A/V                             ±5 ms");
}

TEST(OsdStatisticsPage, DropsLessImportantRows) {
  EXPECT_EQ(statistics_lines({20, 6}),
            (Lines{" stage        ms", " decode      1.9", " import      0.3", " map         6.4",
                   " draw        4.0", " frames   23.98 fps"}));
  const Lines small = statistics_lines({40, 12});
  EXPECT_EQ(small.front(), "  Statistics");
  EXPECT_EQ(small[4], "  decode   libavcodec h…    1.9    5.3");
  EXPECT_EQ(small[10], "  frames   23.98 fps  2 dropped");
  EXPECT_EQ(small[11], "  A/V      -1.4 ms  p99 4.8 ms");
  EXPECT_EQ(statistics_lines({20, 1}), (Lines{" frames   23.98 fps"}));
}

TEST(OsdStatisticsPage, OmitsUnknownValues) {
  EXPECT_EQ(statistics_lines({40, 5}, {}), (Lines{"  frames   0.00 fps  0 dropped  0 late", "", "", "", ""}));
}

TEST(OsdStatisticsPage, FormatsBytes) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1 kB");
  EXPECT_EQ(bytes_text(614880), "615 kB");
  EXPECT_EQ(bytes_text(999'600), "1 MB");
  EXPECT_EQ(bytes_text(12'345'678), "12.3 MB");
  EXPECT_EQ(bytes_text(~std::uint64_t{0}), "1.84e+04 PB");
}

TEST(OsdMessages, AreShownUntilTimeout) {
  std::vector<OsdMessage> messages;
  post_message(messages, {.topic = "mode", .text = "mode: edge", .until_seconds = 2}, 0);
  post_message(messages, {.topic = "volume", .text = "Volume: 50 %", .until_seconds = 3, .fraction = 0.5}, 1);
  EXPECT_EQ(message_lines({30, 4}, messages, 1), (Lines{" mode: edge", " Volume: 50 %", " ██████████", ""}));
  EXPECT_EQ(message_lines({30, 4}, messages, 2), (Lines{" Volume: 50 %", " ██████████", "", ""}));
  EXPECT_EQ(message_lines({30, 2}, messages, 3), (Lines{"", ""}));
}

TEST(OsdMessages, LaterMessageReplacesSameTopic) {
  std::vector<OsdMessage> messages;
  for (int volume = 50; volume <= 80; volume += 10) {
    post_message(messages, {.topic = "volume", .text = std::to_string(volume), .until_seconds = 2}, 0);
    post_message(messages, {.text = "note", .until_seconds = 2}, 0);
  }
  EXPECT_EQ(messages.size(), 5u) << "messages without a topic never replace each other";
  post_message(messages, {.topic = "volume", .text = "90", .until_seconds = 9}, 5);
  EXPECT_EQ(messages.size(), 1u) << "expired messages are dropped";
}

TEST(OsdMessages, WrapAndKeepNewestInLittleRoom) {
  const std::vector<OsdMessage> messages = {
      {.text = "one\ntwo", .until_seconds = 9},
      {.text = "The device is lost; going on.", .until_seconds = 9, .kind = MessageKind::Error}};
  EXPECT_EQ(message_lines({16, 6}, messages, 0, {"0:01"}),
            (Lines{" 0:01", " one", " two", " The device is", " lost; going", " on."}));
  EXPECT_EQ(message_lines({16, 3}, messages, 0, {"0:01"}), (Lines{" 0:01", " lost; going", " on."}));
  EXPECT_EQ(message_lines({20, 1}, {{.text = "right", .until_seconds = 1}}, 0, {}, MessageSide::Right),
            (Lines{"              right"}));
}

}  // namespace
}  // namespace glyphreel::player::osd_pages_test
