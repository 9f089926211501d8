// Tests subtitle streams and files: those that FFmpeg's encoders write, and those written by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "media/input/input.h"
#include "media/subtitle/subtitle_stream.h"
#include "media/subtitle/subtitle_tracks.h"
#include "support/clips.h"

namespace glyphreel::media::subtitles_test {
namespace {

using namespace glyphreel::test;

void write_text(const std::string& path, std::string_view text) {
  write_bytes(path, {text.begin(), text.end()});
}

std::string text_of(const SubtitleEvent& event) {
  std::string text;
  for (const SubtitleLine& line : event.lines) {
    if (!text.empty()) text += '|';
    for (const SubtitleSpan& span : line)
      text += (span.italic ? "/" : "") + span.text + (span.italic ? "/" : "");
  }
  return text;
}

/// Formats each event as "start-end text".
std::vector<std::string> listed(const std::vector<SubtitleEvent>& events) {
  std::vector<std::string> lines;
  for (const SubtitleEvent& event : events) {
    char times[64];
    std::snprintf(times, sizeof times, "%.3f-%.3f ", event.start_seconds, event.end_seconds);
    lines.push_back(times + text_of(event));
  }
  return lines;
}
using Lines = std::vector<std::string>;

std::vector<SubtitleEvent> loaded(const std::string& path, const std::string& charset = "") {
  auto events = load_subtitle_file(path, charset);
  if (events) return *std::move(events);
  ADD_FAILURE() << events.error().message << " (" << events.error().cause << ")";
  return {};
}

/// Demuxes and decodes the first subtitle stream.
struct Decoded {
  std::vector<SubtitleTrackInfo> tracks;
  std::vector<SubtitleEvent> events;
};
Decoded decoded(const std::string& path, const std::string& charset = "") {
  Decoded result;
  auto input = Input::open(path);
  if (!input) {
    ADD_FAILURE() << input.error().message;
    return result;
  }
  AVFormatContext& format = (*input)->format();
  result.tracks = list_subtitle_streams(format);
  if (result.tracks.empty()) return result;
  const AVStream& stream = *format.streams[result.tracks[0].stream_index];
  auto decoder = SubtitleDecoder::open(describe_subtitles(stream, {320, 240}), charset);
  if (!decoder) {
    ADD_FAILURE() << decoder.error().message;
    return result;
  }
  SubtitlePacket packet{.packet = new_packet(), .time_base = stream.time_base};
  while (av_read_frame(&format, packet.packet.get()) >= 0) {
    if (packet.packet->stream_index == stream.index) {
      for (auto& event : (*decoder)->decode(packet)) result.events.push_back(std::move(event));
    }
    av_packet_unref(packet.packet.get());
  }
  return result;
}

constexpr std::string_view Srt =
    "1\r\n00:00:00,500 --> 00:00:01,250\r\nHello, <i>you</i>\r\n\r\n"
    "2\r\n00:00:01,500 --> 00:00:02,750\r\ntwo lines,\r\n<font color=\"#ff0000\">the second</font>\r\n\r\n";
const Lines SrtLines = {"0.500-1.250 Hello, /you/", "1.500-2.750 two lines,|the second"};

constexpr std::string_view Ass =
    "[Script Info]\nScriptType: v4.00+\nPlayResX: 640\nPlayResY: 480\n\n[V4+ Styles]\n"
    "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, "
    "Italic, Underline, "
    "StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, "
    "MarginV, "
    "Encoding\n"
    "Style: Default,Arial,20,&H00FFFFFF,&H0,&H0,&H0,0,0,0,0,100,100,0,0,1,2,2,2,10,10,10,1\n"
    "Style: Sign,Arial,20,&H0000FFFF,&H0,&H0,&H0,-1,0,0,0,100,100,0,0,1,2,2,8,10,10,10,1\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\i1}speech{\\i0}, with a comma\n"
    "Dialogue: 2,0:00:00.50,0:00:02.50,Sign,,0,0,0,,SIGN\n"
    "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}\n";

constexpr std::string_view Vtt =
    "WEBVTT\n\nNOTE nothing\n\n1\n00:00.500 --> 00:01.250 line:10% align:start\n<v Ann>Hello, <i>you</i> "
    "&amp; me\n\n"
    "00:01.500 --> 00:02.750\ntwo lines,\nthe second\n";

TEST(SubtitleFiles, SubRip) {
  const TempDir dir;
  write_text(dir / "a.srt", Srt);
  const auto events = loaded(dir / "a.srt");
  EXPECT_EQ(listed(events), SrtLines);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].lines[1][0].color, std::optional<std::uint32_t>(0xFF0000));
  EXPECT_EQ(events[0].alignment, 2);
}

TEST(SubtitleFiles, MalformedSubRip) {
  const TempDir dir;
  const std::string name = dir / "100% [a]:b #1.srt";
  write_text(
      name,
      "00:00:01,000 --> 00:00:02,000\n{\\an8}no number\n\n"
      "7\n00:00:03.500 --> 00:00:04.000\n<b>bold <font color=red>red</b></font> <unknown>x & y < z\n\n\n\n"
      "8\n0:0:5,0 --> 0:0:6,0 X1:10 X2:20 Y1:30 Y2:40\nplaced\n\n"
      "9\n00:00:08,000 --> 00:00:07,000\nbackwards\n\n"
      "10\nno time at all\n\n"
      "11\n00:00:09,000 --> 00:00:10,000\nthe end, without a line's");
  const auto events = loaded(name);
  Lines texts;
  for (const SubtitleEvent& event : events) texts.push_back(text_of(event));
  EXPECT_EQ(texts, (Lines{"no number", "bold red x & y < z", "placed", "backwards|10|no time at all",
                          "the end, without a line's"}));
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0].alignment, 8);
  EXPECT_TRUE(events[1].lines[0][0].bold);
  EXPECT_EQ(events[1].lines[0][1].color, std::optional<std::uint32_t>(0xFF0000));
}

TEST(SubtitleFiles, Ass) {
  const TempDir dir;
  write_text(dir / "a.ass", Ass);
  const auto events = loaded(dir / "a.ass");
  EXPECT_EQ(listed(events), (Lines{"0.500-2.500 SIGN", "1.000-2.000 /speech/, with a comma"}));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].alignment, 8);
  EXPECT_EQ(events[0].layer, 2);
  EXPECT_TRUE(events[0].lines[0][0].bold);
  EXPECT_EQ(events[0].lines[0][0].color, std::optional<std::uint32_t>(0xFFFF00));
}

TEST(SubtitleFiles, WebVtt) {
  const TempDir dir;
  write_text(dir / "a.vtt", Vtt);
  const auto events = loaded(dir / "a.vtt");
  EXPECT_EQ(listed(events), (Lines{"0.500-1.250 Hello, /you/ & me", "1.500-2.750 two lines,|the second"}));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].alignment, 7);
  EXPECT_EQ(events[1].alignment, 2);
}

TEST(SubtitleFiles, OtherFormats) {
  const TempDir dir;
  write_text(dir / "a.sub", "{1}{1}25.000\n{25}{50}one|two\n{75}{100}{y:i}three\n");
  EXPECT_EQ(listed(loaded(dir / "a.sub")), (Lines{"1.000-2.000 one|two", "3.000-4.000 /three/"}))
      << "MicroDVD";
  write_text(dir / "a.smi",
             "<SAMI><BODY><SYNC Start=500><P Class=ENCC>one<br>two\n<SYNC Start=1500><P Class=ENCC>&nbsp;\n"
             "<SYNC Start=2000><P Class=ENCC>three\n</BODY></SAMI>\n");
  const auto sami = listed(loaded(dir / "a.smi"));
  ASSERT_EQ(sami.size(), 2U);
  EXPECT_EQ(sami[0], "0.500-1.500 one|two");
  EXPECT_EQ(sami[1].substr(0, 6), "2.000-");
  write_text(dir / "b.txt", Srt);
  EXPECT_EQ(listed(loaded(dir / "b.txt")), SrtLines) << "detected by content";
}

TEST(SubtitleFiles, CharacterSets) {
  const TempDir dir;
  const auto srt = [](std::string_view text) {
    return "1\n00:00:01,000 --> 00:00:02,000\n" + std::string(text) + "\n\n";
  };
  write_text(dir / "bom.srt", "\xEF\xBB\xBF" + srt("né"));
  write_text(dir / "1252.srt", srt("n\xE9 \x96"));
  write_text(dir / "1251.srt", srt("\xCF\xF0\xE8"));
  std::string wide = "\xFF\xFE";
  for (const char c : srt("n\xE9")) wide += {c, '\0'};
  write_text(dir / "16.srt", wide);
  write_text(dir / "16-plain.srt", std::string_view(wide).substr(2));
  EXPECT_EQ(listed(loaded(dir / "bom.srt")), Lines{"1.000-2.000 né"});
  EXPECT_EQ(listed(loaded(dir / "1252.srt")), Lines{"1.000-2.000 né –"});
  EXPECT_EQ(listed(loaded(dir / "1251.srt", "CP1251")), Lines{"1.000-2.000 При"});
  EXPECT_EQ(listed(loaded(dir / "16.srt")), Lines{"1.000-2.000 né"});
  EXPECT_EQ(listed(loaded(dir / "16-plain.srt")), Lines{"1.000-2.000 né"});
}

void expect_bad(const std::string& path, const char* words, ErrorCode code = ErrorCode::BadInput,
                const char* charset = "") {
  const auto events = load_subtitle_file(path, charset);
  ASSERT_FALSE(events) << path;
  EXPECT_EQ(events.error().code, code);
  EXPECT_NE(events.error().message.find(words), std::string::npos) << events.error().message;
}

TEST(SubtitleFiles, ErrorsNameCause) {
  const TempDir dir;
  write_text(dir / "a.srt", Srt);
  write_text(dir / "empty.srt", "");
  write_text(dir / "noise.srt", std::string(5000, '\x07'));
  write_text(dir / "none.srt", "1\n00:00:01,000 --> 00:00:02,000\n\n\n");
  write_text(dir / "list.srt",
             "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n/etc/hostname\n#EXT-X-ENDLIST\n");
  expect_bad(dir / "missing.srt", "no subtitle file");
  expect_bad(dir / "", "is a directory");
  expect_bad(dir / "empty.srt", "is empty");
  expect_bad(dir / "noise.srt", "noise.srt");
  expect_bad(dir / "none.srt", "no subtitles");
  expect_bad(dir / "list.srt", "list.srt");
  expect_bad(dir / "a.srt", "utf-9", ErrorCode::Usage, "utf-9");
}

TEST(SubtitleFiles, HundredThousandLines) {
  const TempDir dir;
  std::string text;
  char line[128];
  for (int i = 0; i < 100'000; ++i) {
    const auto time = [](int ms, char* to) {
      std::snprintf(to, 16, "%02d:%02d:%02d,%03d", ms / 3600000 % 100, ms / 60000 % 60, ms / 1000 % 60,
                    ms % 1000);
    };
    char start[16], end[16];
    time(i * 100, start);
    time(i * 100 + 90, end);
    std::snprintf(line, sizeof line, "%d\n%s --> %s\nLine <i>%d</i>\n\n", i + 1, start, end, i);
    text += line;
  }
  write_text(dir / "long.srt", text);
  const auto events = loaded(dir / "long.srt");
  ASSERT_EQ(events.size(), 100'000U);
  EXPECT_EQ(listed({events.back()}), Lines{"9999.900-9999.990 Line /99999/"});
}

/// Makes a three-second clip with `subtitles` muxed in.
std::string muxed(const TempDir& dir, const std::string& subtitles, const std::string& name,
                  const std::string& options) {
  ffmpeg("-f lavfi -i color=gray:size=320x240:rate=10:duration=3 -i " + (dir / subtitles) +
         " -map 0 -map 1 -c:v mpeg4 " + options + " " + (dir / name));
  return dir / name;
}

TEST(SubtitleStreams, TextIsReadFromEveryContainer) {
  const TempDir dir;
  write_text(dir / "a.srt", Srt);
  for (const auto& [name, codec] :
       {std::pair{"srt.mkv", "srt"}, {"vtt.mkv", "webvtt"}, {"tx3g.mp4", "mov_text"}}) {
    SCOPED_TRACE(name);
    const Decoded result = decoded(muxed(dir, "a.srt", name,
                                         std::string("-c:s ") + codec +
                                             " -metadata:s:s:0 language=ger -metadata:s:s:0 "
                                             "title=Kommentar -disposition:s:0 default+forced"));
    EXPECT_EQ(listed(result.events), SrtLines);
    ASSERT_EQ(result.tracks.size(), 1U);
    EXPECT_EQ(result.tracks[0].stream_index, 1);
    EXPECT_EQ(result.tracks[0].language, "ger");
    EXPECT_FALSE(result.tracks[0].is_bitmap);
    EXPECT_TRUE(result.tracks[0].is_default);
    if (std::string(name).ends_with("mkv")) {
      EXPECT_TRUE(result.tracks[0].is_forced);
      EXPECT_EQ(result.tracks[0].title, "Kommentar");
    }
  }
}

TEST(SubtitleStreams, AssInMatroska) {
  const TempDir dir;
  write_text(dir / "a.ass", Ass);
  const Decoded result = decoded(muxed(dir, "a.ass", "ass.mkv", "-c:s copy"));
  EXPECT_EQ(listed(result.events), (Lines{"0.500-2.500 SIGN", "1.000-2.000 /speech/, with a comma"}));
  ASSERT_EQ(result.events.size(), 2U);
  EXPECT_EQ(result.events[0].order, 1) << "in script order";
  EXPECT_EQ(result.events[1].order, 0);
  EXPECT_EQ(result.events[0].layer, 2);
  EXPECT_EQ(result.events[0].lines[0][0].color, std::optional<std::uint32_t>(0xFFFF00));
}

TEST(SubtitleStreams, VttSettingsInMatroska) {
  const TempDir dir;
  write_text(dir / "a.vtt", Vtt);
  const Decoded result = decoded(muxed(dir, "a.vtt", "vtt.mkv", "-c:s copy"));
  EXPECT_EQ(listed(result.events),
            (Lines{"0.500-1.250 Hello, /you/ & me", "1.500-2.750 two lines,|the second"}));
  ASSERT_EQ(result.events.size(), 2U);
  EXPECT_EQ(result.events[0].alignment, 7);
}

TEST(SubtitleStreams, TimestampsAreTheContainers) {
  const TempDir dir;
  write_text(dir / "a.srt", Srt);
  const Decoded result = decoded(muxed(dir, "a.srt", "late.mkv", "-c:s srt -output_ts_offset 100"));
  EXPECT_EQ(listed(result.events),
            (Lines{"100.500-101.250 Hello, /you/", "101.500-102.750 two lines,|the second"}));
}

TEST(SubtitleStreams, LegacyTextInMatroska) {
  const TempDir dir;
  write_text(dir / "a.srt", "1\n00:00:01,000 --> 00:00:02,000\nn\xE9\n\n");
  const std::string clip = muxed(dir, "a.srt", "legacy.mkv", "-c:s copy");
  EXPECT_EQ(listed(decoded(clip).events), Lines{"1.000-2.000 né"});
  EXPECT_EQ(listed(decoded(clip, "CP1251").events), Lines{"1.000-2.000 nй"});
}

TEST(SubtitleStreams, SeekRestartsDecoding) {
  const TempDir dir;
  write_text(dir / "a.srt", Srt);
  const std::string clip = muxed(dir, "a.srt", "a.mkv", "-c:s srt");
  auto input = Input::open(clip);
  ASSERT_TRUE(input);
  AVFormatContext& format = (*input)->format();
  const SubtitleStream description = describe_subtitles(*format.streams[1], {});
  const auto decoder = SubtitleDecoder::open(description, "");
  ASSERT_TRUE(decoder);
  Lines all;
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch) {
    SubtitlePacket packet{.packet = new_packet(), .time_base = description.time_base, .epoch = epoch};
    while (av_read_frame(&format, packet.packet.get()) >= 0) {
      if (packet.packet->stream_index == 1) {
        for (const auto& line : listed((*decoder)->decode(packet))) all.push_back(line);
      }
      av_packet_unref(packet.packet.get());
    }
    ASSERT_GE(av_seek_frame(&format, -1, 0, AVSEEK_FLAG_BACKWARD), 0);
  }
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(all[4], SrtLines[0]);
}

TEST(SubtitleStreams, DamagedPacketsAreCounted) {
  SubtitleStream description;
  description.parameters.reset(avcodec_parameters_alloc());
  description.parameters->codec_type = AVMEDIA_TYPE_SUBTITLE;
  description.time_base = {1, 1000};
  for (const AVCodecID codec :
       {AV_CODEC_ID_HDMV_PGS_SUBTITLE, AV_CODEC_ID_DVD_SUBTITLE, AV_CODEC_ID_DVB_SUBTITLE,
        AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_ASS, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_SUBRIP}) {
    SCOPED_TRACE(avcodec_get_name(codec));
    description.parameters->codec_id = codec;
    const auto decoder = SubtitleDecoder::open(description, "");
    ASSERT_TRUE(decoder) << decoder.error().message;
    std::uint32_t seed = 1;
    for (int round = 0; round < 3000; ++round) {
      SubtitlePacket packet{.packet = new_packet(), .time_base = description.time_base};
      ASSERT_GE(av_new_packet(packet.packet.get(), round % 97), 0);
      for (int i = 0; i < packet.packet->size; ++i)
        packet.packet->data[i] = static_cast<std::uint8_t>((seed = seed * 1664525 + 1013904223) >> 24);
      if (codec == AV_CODEC_ID_HDMV_PGS_SUBTITLE && packet.packet->size > 2)
        packet.packet->data[0] = static_cast<std::uint8_t>(0x14 + round % 5);
      packet.packet->pts = round;
      for (const SubtitleEvent& event : (*decoder)->decode(packet)) EXPECT_GE(event.start_seconds, 0);
    }
  }
}

TEST(SubtitleSidecars, ByItsName) {
  const TempDir dir;
  for (const char* name :
       {"Film.mkv", "film.srt", "Film.en.ass", "film.pt-BR.forced.VTT", "film.2.srt", "film2.srt", "film.txt",
        "film.de.sdh.srt", "film.idx", "film.sub", "other.srt", "film.en.director.srt"}) {
    write_text(dir / name, "x");
  }
  std::filesystem::create_directory(dir / "film.fr.srt");
  const auto files = find_subtitle_files(dir / "Film.mkv");
  Lines names;
  for (const auto& file : files) {
    names.push_back(std::filesystem::path(file.path).filename().string() + " " + file.language +
                    (file.is_forced ? " forced" : ""));
    EXPECT_TRUE(file.is_file());
  }
  EXPECT_EQ(names, (Lines{"film.idx ", "film.srt ", "Film.en.ass en", "film.de.sdh.srt de",
                          "film.pt-BR.forced.VTT pt-BR forced"}));
  EXPECT_TRUE(find_subtitle_files("http://host/film.mkv").empty());
  EXPECT_TRUE(find_subtitle_files("-").empty());
  EXPECT_TRUE(find_subtitle_files(dir / "missing.mkv").empty());
}

}  // namespace
}  // namespace glyphreel::media::subtitles_test
