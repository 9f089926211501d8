#include "media/encode/writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <span>
#include <utility>

#include "support/clips.h"
#include "support/pictures.h"
#include "support/recordings.h"

namespace glyphreel::media::writer_test {
namespace {

using namespace glyphreel::test;
namespace fs = std::filesystem;

struct Recording {
  const char* ending;
  const char* codec;
  bool copies_aac;
};

/// Without this function, the test's name in CTest would contain the addresses of the strings.
void PrintTo(const Recording& recording, std::ostream* out) {
  *out << recording.ending << ' ' << (*recording.codec == 0 ? "default" : recording.codec);
}

class WriterRoundTrip : public testing::TestWithParam<Recording> {};

/// Returns the time rounded to a multiple of 1 ms if the container's ticks are 1 ms, otherwise unchanged.
double representable(double seconds, const std::string& ending) {
  return ending == "mkv" || ending == "webm" ? std::round(seconds * 1000) / 1000 : seconds;
}

std::vector<double> frame_seconds(const std::string& path) {
  std::vector<double> seconds;
  for (const auto& line : probe(path, "-select_streams v:0 -show_entries frame=pts_time")) {
    seconds.push_back(std::stod(line));
  }
  return seconds;
}

TEST_P(WriterRoundTrip, PreservesTimestampsAndAudio) {
  const auto [ending, codec, copies_aac] = GetParam();
  const TempDir dir;
  const std::string input = dir / "input.mp4";
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine=frequency=440:sample_rate=48000 -t 3 "
      "-vf settb=1/90000,setpts='N*3600+600*random(1)' -fps_mode passthrough -video_track_timescale 90000 "
      "-c:v libx264 -bf 2 -pix_fmt yuv420p -c:a aac " +
      input);
  const std::string output = dir / (std::string("out.") + ending);
  const auto encoder = record(input, output, {.codec = codec});
  ASSERT_TRUE(encoder.ok);
  EXPECT_EQ(encoder.copies_audio, copies_aac);
  EXPECT_TRUE(fs::exists(output));
  EXPECT_FALSE(fs::exists(part_path(output)));

  const auto expected = frame_seconds(input);
  const auto actual = frame_seconds(output);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], representable(expected[i], ending), 1.1e-6) << i;  // ffprobe prints six digits
  }
  if (copies_aac) {
    EXPECT_EQ(audio_packet_hashes(output), audio_packet_hashes(input));
  }
  // The audio must be complete: the clip lasts 3 s.
  const std::string decode = " -v error -map 0:a -f s16le -ac 1 -ar 48000 - | wc -c";
  const double samples = std::stod(capture("ffmpeg -i " + output + decode)) / 2;
  EXPECT_NEAR(samples / 48000, 3.0, 0.05);
  // The file's duration must include the last frame's duration.
  const auto durations = probe(output, "-show_entries format=duration");
  EXPECT_NEAR(std::stod(durations.at(0)), expected.back() + 0.04, 0.03);
}

INSTANTIATE_TEST_SUITE_P(Containers, WriterRoundTrip,
                         testing::Values(Recording{"mp4", "", true}, Recording{"mov", "", true},
                                         Recording{"mkv", "", true}, Recording{"webm", "", false},
                                         Recording{"mkv", "ffv1", true}, Recording{"mp4", "mpeg4", true},
                                         Recording{"mp4", "libx265", true},
                                         Recording{"mkv", "libsvtav1", true}),
                         [](const auto& tested) {
                           return std::string(tested.param.ending) + "_" +
                                  (*tested.param.codec == 0 ? "default" : tested.param.codec);
                         });

TEST(Writer, PreservesMp4TicksExactly) {
  const TempDir dir;
  const std::string input = dir / "input.mp4";
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=30000/1001 -frames:v 60 -c:v libx264 -bf 3 " + input);
  for (const char* name : {"out.mp4", "out.mov"}) {
    ASSERT_TRUE(record(input, dir / name, {}).ok);
    EXPECT_EQ(probed_frame_pts(dir / name), probed_frame_pts(input));
    const std::string entries = "-select_streams v:0 -show_entries stream=time_base";
    EXPECT_EQ(probe(dir / name, entries), probe(input, entries));
  }
}

TEST(Writer, PlacesMp4IndexFirst) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 100 -c:v libx264 " + (dir / "input.mp4"));
  ASSERT_TRUE(record(dir / "input.mp4", dir / "out.mp4", {}).ok);
  const auto bytes = read_bytes(dir / "out.mp4");
  const std::string whole(bytes.begin(), bytes.end());
  EXPECT_EQ(whole.find("moof"), std::string::npos);
  EXPECT_LT(whole.find("moov"), whole.find("mdat"));
  EXPECT_EQ(probe(dir / "out.mp4", "-select_streams v:0 -show_entries stream=nb_frames").at(0), "100");
}

TEST(Writer, RebasesLateStartToZero) {
  const TempDir dir;
  const std::string input = dir / "input.mp4";
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine=sample_rate=48000 -t 3 -c:v libx264 -c:a "
      "aac " +
      input);
  for (const char* ending : {"mp4", "mkv", "webm"}) {
    const std::string output = dir / (std::string("out.") + ending);
    ASSERT_TRUE(record(input, output, {.start_seconds = 1.0, .end_seconds = 2.0}).ok);
    const auto seconds = frame_seconds(output);
    ASSERT_EQ(seconds.size(), 25U) << ending;
    EXPECT_EQ(seconds.front(), 0) << ending;
    const auto first =
        probe(output, "-select_streams a:0 -show_entries packet=pts_time -read_intervals %+#1");
    EXPECT_NEAR(std::stod(first.at(0)), 0, 0.03) << ending;
    const auto duration = probe(output, "-show_entries format=duration");
    EXPECT_NEAR(std::stod(duration.at(0)), 1.0, 0.06) << ending;
  }
}

TEST(Writer, WritesColorTags) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 5 -c:v libx264 " + (dir / "input.mp4"));
  for (const char* name : {"out.mp4", "out.mkv"}) {
    ASSERT_TRUE(record(dir / "input.mp4", dir / name, {}).ok);
    const auto tags =
        probe(dir / name,
              "-select_streams v:0 -show_entries "
              "stream=pix_fmt,color_range,color_space,color_transfer,color_primaries,chroma_location");
    EXPECT_EQ(tags.at(0), "yuv420p,tv,bt709,bt709,bt709,left") << name;
  }
}

TEST(Writer, Ffv1IsLossless) {
  const TempDir dir;
  WriterOptions options;
  options.path = dir / "out.mkv";
  options.codec = "ffv1";
  options.size = {51, 33};  // RGB supports odd sizes
  options.time_base = {1, 25};
  options.frame_rate = {25, 1};
  const auto format = Writer::picture_format(options);
  ASSERT_TRUE(format);
  ASSERT_EQ(*format, PictureFormat::Bgra8);
  auto writer = Writer::open(options);
  ASSERT_TRUE(writer) << writer.error().message;
  const auto memory = make_heap_memory();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE((*writer)->write_video(noise_picture(*memory, PictureFormat::Bgra8, options.size, i), i, 1));
  }
  ASSERT_TRUE((*writer)->finish());

  SourceOptions input;
  input.url = options.path;
  const auto source = open_source(input);
  ASSERT_NE(source, nullptr);
  const auto frames = read_frames(*source);
  ASSERT_EQ(frames.size(), 5U);
  for (int i = 0; i < 5; ++i) {
    const Picture picture = noise_picture(*memory, PictureFormat::Bgra8, options.size, i);
    const FrameView& view = frames[static_cast<std::size_t>(i)].view;
    ASSERT_EQ(view.size, options.size);
    for (int y = 0; y < options.size.height; ++y) {
      for (int x = 0; x < options.size.width; ++x) {
        const std::byte* pixel = picture.planes[0] + y * picture.strides[0] + 4 * x;
        for (int c = 0; c < 3; ++c)
          ASSERT_EQ(sample_at(view, c, x, y), std::to_integer<unsigned>(pixel[2 - c]));
      }
    }
  }
}

/// The packets must equal the output of aac_adtstoasc, FFmpeg's own bitstream filter.
TEST(Writer, StripsAdtsHeadersFromTransportStreamAudio) {
  const TempDir dir;
  const std::string input = dir / "input.ts";
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine=sample_rate=48000 -t 2 -c:v libx264 -c:a "
      "aac " +
      input);
  ffmpeg("-i " + input + " -map 0:a -c copy -bsf:a aac_adtstoasc " + (dir / "plain.m4a"));
  const auto expected = audio_packet_hashes(dir / "plain.m4a");
  ASSERT_GT(expected.size(), 80U);
  for (const char* name : {"out.mp4", "out.mov", "out.mkv"}) {
    const auto recorded = record(input, dir / name, {});
    ASSERT_TRUE(recorded.ok) << name;
    EXPECT_TRUE(recorded.copies_audio) << name;
    EXPECT_EQ(recorded.damaged_packets, 0) << name;
    EXPECT_EQ(audio_packet_hashes(dir / name), expected) << name;
    const std::string decode = " -v error -xerror -map 0:a -f s16le -ac 1 -ar 48000 - | wc -c";
    EXPECT_NEAR(std::stod(capture("ffmpeg -i " + (dir / name) + decode)) / 96000, 2.0, 0.05) << name;
  }
}

TEST(Writer, TranscodesAudioUnsupportedByContainer) {
  const TempDir dir;
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine=frequency=1000:sample_rate=44100 -t 2 "
      "-c:v libx264 -c:a pcm_s16le " +
      (dir / "input.mkv"));
  struct Case {
    const char* name;
    const char* codec;
  };
  for (const auto& [name, codec] : {Case{"out.mp4", "aac"}, Case{"out.webm", "opus"}}) {
    const auto recorded = record(dir / "input.mkv", dir / name, {});
    ASSERT_TRUE(recorded.ok);
    EXPECT_FALSE(recorded.copies_audio);
    EXPECT_EQ(probe(dir / name, "-select_streams a:0 -show_entries stream=codec_name").at(0), codec);
    const std::string decode = " -v error -map 0:a -f s16le -ac 1 -ar 48000 - | wc -c";
    EXPECT_NEAR(std::stod(capture("ffmpeg -i " + (dir / name) + decode)) / 96000, 2.0, 0.05) << name;
  }
}

TEST(Writer, TranscodesAudioAtRatesThatAacLacks) {
  const TempDir dir;
  for (const auto& [rate, encoded] : {std::pair{"6000", "8000"}, {"37800", "44100"}, {"192000", "96000"}}) {
    ffmpeg(std::string("-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine=sample_rate=") + rate +
           " -t 0.5 -c:v libx264 -c:a pcm_s16le " + (dir / "input.mkv"));
    const std::string out = std::string(encoded) + ".mp4";
    ASSERT_TRUE(record(dir / "input.mkv", dir / out, {}).ok) << rate;
    EXPECT_EQ(probe(dir / out, "-select_streams a:0 -show_entries stream=sample_rate").at(0), encoded);
  }
}

/// Makes a video with two audio tracks, subtitles, two chapters, tags, and a font as an attachment.
void make_film(const TempDir& dir, const std::string& path) {
  const auto write = [](const std::string& file, std::string_view text) {
    write_bytes(file, {text.begin(), text.end()});
  };
  write(dir / "subtitles.srt",
        "1\n00:00:01,000 --> 00:00:01,500\nOne <i>word</i>\n\n2\n00:00:02,000 --> 00:00:02,750\nTwo\n");
  write(dir / "tags.txt",
        ";FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1500\ntitle=Start\n"
        "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1500\nEND=3000\ntitle=End\n");
  write(dir / "font.ttf", "not a font");
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine=440 -f lavfi -i sine=880 -i " +
      (dir / "subtitles.srt") + " -i " + (dir / "tags.txt") +
      " -t 3 -map 0 -map 1 -map 2 -map 3 -map_metadata 4 -c:v libx264 -c:a:0 aac -c:a:1 libvorbis -c:s srt "
      "-metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -metadata:s:s:0 language=fra -attach " +
      (dir / "font.ttf") + " -metadata:s:t mimetype=application/x-truetype-font " + path);
}

std::vector<std::string> chapters_of(const std::string& path) {
  return probe(path, "-show_chapters -show_entries chapter=start_time,end_time:chapter_tags=title");
}

TEST(Writer, CopiesTracksChaptersAndTags) {
  const TempDir dir;
  make_film(dir, dir / "film.mkv");
  struct Case {
    const char* name;
    std::vector<std::string> codecs;  ///< of the tracks after the video
  };
  for (const auto& [name, codecs] :
       {Case{"out.mkv", {"aac", "vorbis", "subrip", "ttf"}}, Case{"out.mp4", {"aac", "aac", "mov_text"}},
        Case{"out.mov", {"aac", "aac", "mov_text"}}, Case{"out.webm", {"opus", "vorbis", "webvtt"}}}) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(record(dir / "film.mkv", dir / name, {.copies_tracks = true}).ok);
    auto found = probe(dir / name, "-show_entries stream=codec_name");
    found.resize(codecs.size() + 1);  // drops the track for chapter titles, which mp4 and mov add
    EXPECT_EQ(std::vector(found.begin() + 1, found.end()), codecs);
    EXPECT_EQ(probe(dir / name, "-select_streams a -show_entries stream_tags=language"),
              (std::vector<std::string>{"eng", name == std::string_view("out.mov") ? "ger" : "deu"}));
    EXPECT_EQ(probe(dir / name, "-select_streams s -show_entries stream_tags=language"),
              std::vector<std::string>{"fra"});
    EXPECT_EQ(probe(dir / name, "-show_entries format_tags=title"), std::vector<std::string>{"A film"});
    const auto chapters = chapters_of(dir / name);
    ASSERT_EQ(chapters.size(), 2U);
    EXPECT_EQ(chapters[1], "1.500000,3.000000,End");
    // The audio of both tracks is complete, and the subtitles keep their times.
    for (const char* track : {"0", "1"}) {
      const std::string decode =
          std::string(" -v error -map 0:a:") + track + " -f s16le -ac 1 -ar 48000 - | wc -c";
      EXPECT_NEAR(std::stod(capture("ffmpeg -i " + (dir / name) + decode)) / 96000, 3.0, 0.06) << track;
    }
    const std::string text = capture("ffmpeg -v error -copyts -i " + (dir / name) + " -map 0:s -f webvtt -");
    const std::string source =
        capture("ffmpeg -v error -copyts -i " + (dir / "film.mkv") + " -map 0:s -f webvtt -");
    EXPECT_EQ(text, source);
  }
}

std::vector<std::string> tracks_with_pictures(const std::string& path) {
  return probe(path, "-show_entries stream=codec_name,width:stream_disposition=attached_pic");
}

TEST(Writer, CopiesCoverPictures) {
  const TempDir dir;
  ffmpeg("-f lavfi -i color=red:s=20x10 -frames:v 1 -c:v png -f image2 " + (dir / "front.png"));
  ffmpeg("-f lavfi -i color=red:s=18x10 -frames:v 1 -c:v mjpeg -f image2 " + (dir / "back.jpg"));
  const std::string video = "-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 ";
  ffmpeg(video + "-c:v libx264 -attach " + (dir / "front.png") +
         " -metadata:s:t:0 mimetype=image/png -attach " + (dir / "back.jpg") +
         " -metadata:s:t:1 mimetype=image/jpeg " + (dir / "in.mkv"));
  ffmpeg(video + "-i " + (dir / "front.png") + " -i " + (dir / "back.jpg") +
         " -map 0 -map 1 -map 2 -c copy -c:v:0 libx264 -disposition:v:1 attached_pic "
         "-disposition:v:2 attached_pic " +
         (dir / "in.mp4"));
  const std::vector<std::string> covers{"png,20,1", "mjpeg,18,1"};
  for (const char* input : {"in.mkv", "in.mp4"}) {
    for (const char* output : {"out.mkv", "out.mp4"}) {
      SCOPED_TRACE(input + std::string(" to ") + output);
      ASSERT_TRUE(record(dir / input, dir / output, {.copies_tracks = true}).ok);
      const auto tracks = tracks_with_pictures(dir / output);
      ASSERT_EQ(tracks.size(), 3U);
      EXPECT_EQ(std::vector(tracks.begin() + 1, tracks.end()), covers);
      EXPECT_EQ(
          capture("ffmpeg -v error -i " + (dir / output) + " -map 0:v:1 -c copy -f image2pipe - | cmp - " +
                  (dir / "front.png") + " && echo equal"),
          "equal\n");
      EXPECT_EQ(frame_seconds(dir / output).size(), 25U);
      fs::remove(dir / output);
    }
    for (const char* output : {"out.mov", "out.webm"}) {
      ASSERT_TRUE(record(dir / input, dir / output, {.copies_tracks = true}).ok);
      EXPECT_EQ(tracks_with_pictures(dir / output).size(), 1U)
          << ".mov and .webm files cannot have cover pictures";
      fs::remove(dir / output);
    }
  }
}

TEST(Writer, CopiesTitlesOfTracks) {
  const TempDir dir;
  make_film(dir, dir / "film.mkv");
  ffmpeg("-i " + (dir / "film.mkv") +
         " -map 0 -c copy -metadata:s:v:0 title=Picture -metadata:s:a:0 title=Sound "
         "-metadata:s:a:1 title=Comments -metadata:s:s:0 title=Lyrics " +
         (dir / "in.mkv"));
  const std::vector<std::string> titles{"Picture", "Sound", "Comments", "Lyrics"};
  for (const auto& [output, tag] : {std::pair{"out.mkv", "title"},
                                    {"out.mp4", "handler_name"},
                                    {"out.mov", "handler_name"},
                                    {"out.webm", "title"}}) {
    ASSERT_TRUE(record(dir / "in.mkv", dir / output, {.copies_tracks = true}).ok);
    auto found = probe(dir / output, std::string("-show_entries stream_tags=") + tag);
    found.resize(titles.size());  // drops the track for chapter titles, which mp4 and mov add
    EXPECT_EQ(found, titles) << output;
  }
}

TEST(Writer, CutsChaptersAndSubtitles) {
  const TempDir dir;
  make_film(dir, dir / "film.mkv");
  ASSERT_TRUE(record(dir / "film.mkv", dir / "out.mkv",
                     {.start_seconds = 1.0, .end_seconds = 1.4, .copies_tracks = true})
                  .ok);
  const auto chapters = chapters_of(dir / "out.mkv");
  ASSERT_EQ(chapters.size(), 1U);
  EXPECT_EQ(chapters[0], "0.000000,0.400000,Start");
  EXPECT_EQ(capture("ffmpeg -v error -i " + (dir / "out.mkv") + " -map 0:s -f srt - | grep -c Two || true"),
            "0\n");
}

TEST(Writer, EncodesDecodedAudio) {
  constexpr int Rate = 48000;
  for (const char* name : {"out.mp4", "out.mkv", "out.webm"}) {
    SCOPED_TRACE(name);
    const TempDir dir;
    const auto memory = make_heap_memory();
    auto writer =
        Writer::open({.path = dir / name, .size = {64, 48}, .time_base = {1, 25}, .sample_rate = Rate});
    ASSERT_TRUE(writer) << writer.error().message;
    EXPECT_FALSE((*writer)->copies_audio());
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE((*writer)->write_video(noise_picture(*memory, PictureFormat::Yuv420p, {64, 48}, i), i, 1));
      // Write a tone on the left channel only, from one second on, in two unequal parts per frame.
      std::vector<float> samples;
      for (int n = i * Rate / 25; n < (i + 1) * Rate / 25; ++n) {
        samples.push_back(n < Rate ? 0 : 0.5F * static_cast<float>(std::sin(n * 0.1)));
        samples.push_back(0);
      }
      ASSERT_TRUE((*writer)->write_samples(std::span(samples).first(2 * 700)));
      ASSERT_TRUE((*writer)->write_samples(std::span(samples).subspan(2 * 700)));
    }
    ASSERT_TRUE((*writer)->finish());
    for (const auto& [channel, is_loud] : {std::pair(0, true), std::pair(1, false)}) {
      // atrim removes the encoder's priming samples, whose times are before zero.
      const std::string decode = " -map 0:a -af 'atrim=start=0,pan=mono|c0=c" + std::to_string(channel) +
                                 ",volume=4' -f s16le -ar 48000 ";
      ffmpeg("-copyts -i " + (dir / name) + decode + (dir / "sound.raw"));
      const auto bytes = read_bytes(dir / "sound.raw");
      std::vector<std::int16_t> samples(bytes.size() / 2);
      std::memcpy(samples.data(), bytes.data(), samples.size() * 2);
      EXPECT_NEAR(static_cast<double>(samples.size()), 2 * Rate, 1100);
      const auto first =
          std::find_if(samples.begin(), samples.end(), [](int sample) { return std::abs(sample) > 3000; });
      if (is_loud) {
        EXPECT_NEAR(static_cast<double>(first - samples.begin()), Rate, 300) << "wrong start of the tone";
      } else {
        EXPECT_EQ(first, samples.end()) << "leaked from the other channel";
      }
    }
  }
}

}  // namespace
}  // namespace glyphreel::media::writer_test
