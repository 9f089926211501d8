#include "media/decode/audio_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "media/stream/audio_stream.h"
#include "support/clips.h"

namespace glyphreel::test::audio_decoder_test {
namespace {

using media::AudioBlock;
using media::AudioDecoder;
using media::AudioPacket;

constexpr int Rate = 48000;

/// All packets of a file's first audio stream.
struct Packets {
  media::AudioStream stream;
  double start_seconds = 0;  ///< from the container; not zero for MP3
  std::vector<std::shared_ptr<AudioPacket>> packets;
};

Packets read_packets(const std::string& path) {
  Packets result;
  AVFormatContext* format = nullptr;
  EXPECT_GE(avformat_open_input(&format, path.c_str(), nullptr, nullptr), 0) << path;
  if (format == nullptr) return result;
  avformat_find_stream_info(format, nullptr);
  const int index = av_find_best_stream(format, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  EXPECT_GE(index, 0);
  result.stream.parameters.reset(avcodec_parameters_alloc());
  avcodec_parameters_copy(result.stream.parameters.get(), format->streams[index]->codecpar);
  result.stream.time_base = format->streams[index]->time_base;
  if (format->streams[index]->start_time != AV_NOPTS_VALUE) {
    result.start_seconds =
        static_cast<double>(format->streams[index]->start_time) * av_q2d(result.stream.time_base);
  }
  for (;;) {
    auto packet = std::make_shared<AudioPacket>();
    packet->packet = media::new_packet();
    packet->time_base = result.stream.time_base;
    if (av_read_frame(format, packet->packet.get()) < 0) break;
    if (packet->packet->stream_index == index) result.packets.push_back(std::move(packet));
  }
  avformat_close_input(&format);
  return result;
}

std::unique_ptr<AudioDecoder> open(const Packets& packets) {
  auto decoder = AudioDecoder::open(packets.stream);
  EXPECT_TRUE(decoder);
  return *std::move(decoder);
}

/// Decodes all packets and checks that each block has whole frames. Calls `before(i)` before it decodes
/// packet `i`.
std::vector<AudioBlock> decode(
    AudioDecoder& decoder, const Packets& packets,
    const std::function<void(std::size_t)>& before = [](std::size_t) {}) {
  std::vector<AudioBlock> blocks;
  for (std::size_t i = 0; i < packets.packets.size(); ++i) {
    before(i);
    for (AudioBlock& block : decoder.decode(*packets.packets[i])) blocks.push_back(std::move(block));
  }
  for (AudioBlock& block : decoder.drain()) blocks.push_back(std::move(block));
  for (const AudioBlock& block : blocks) EXPECT_EQ(block.samples.size() % 2, 0U);
  return blocks;
}

double end_of(const AudioBlock& block) {
  return block.media_seconds + static_cast<double>(block.frames()) * block.speed / Rate;
}

/// Returns the left channel of consecutive blocks. Fails the test unless each block starts within 0.1 ms of
/// the end of the previous block.
std::vector<float> left_of(const std::vector<AudioBlock>& blocks) {
  std::vector<float> left;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) {
      EXPECT_NEAR(blocks[i].media_seconds, end_of(blocks[i - 1]), 1e-4) << i;
    }
    for (std::size_t frame = 0; frame < blocks[i].frames(); ++frame)
      left.push_back(blocks[i].samples[2 * frame]);
  }
  return left;
}

std::size_t first_loud(const std::vector<float>& left, float loud = 0.1F) {
  return static_cast<std::size_t>(std::ranges::find_if(left, [loud](float s) { return std::abs(s) > loud; }) -
                                  left.begin());
}

/// Estimates the frequency in Hz from the zero crossings in the middle half of the samples.
double pitch(const std::vector<float>& left) {
  int crossings = 0;
  const std::size_t from = left.size() / 4;
  const std::size_t to = left.size() * 3 / 4;
  for (std::size_t i = from; i < to; ++i) crossings += left[i] < 0 && left[i + 1] >= 0 ? 1 : 0;
  return crossings * static_cast<double>(Rate) / static_cast<double>(to - from);
}

const std::string Tone = "-f lavfi -i \"sine=frequency=440:sample_rate=48000:duration=4\" ";
/// Silence, then a 1 kHz tone that starts at exactly 1 s.
const std::string Late = "-f lavfi -i \"aevalsrc='0.5*sin(2*PI*1000*t)*gte(t,1)':s=48000:d=2\" ";

TEST(AudioDecoder, PlacesSamplesExactly) {
  const TempDir folder;
  struct Case {
    const char* file;
    const char* codec;
    double tolerance_frames;  // allowed error of the tone's start, which lossy codecs blur
  };
  const Case cases[] = {{"a.wav", "pcm_s16le", 3.5}, {"a.flac", "flac", 3.5},    {"a.mkv", "flac", 50},
                        {"a.m4a", "aac", 150},       {"a.opus", "libopus", 200}, {"a.webm", "libopus", 250},
                        {"a.mp3", "libmp3lame", 200}};
  for (const Case& each : cases) {
    ffmpeg(Late + "-c:a " + each.codec + " " + (folder / each.file));
    const Packets packets = read_packets(folder / each.file);
    const auto decoder = open(packets);
    const auto blocks = decode(*decoder, packets);
    ASSERT_FALSE(blocks.empty()) << each.file;
    const std::vector<float> left = left_of(blocks);
    const double onset = blocks.front().media_seconds + static_cast<double>(first_loud(left)) / Rate;
    const double expected = 1 + std::max(0.0, packets.start_seconds);
    EXPECT_NEAR(onset * Rate, expected * Rate, each.tolerance_frames) << each.file;
    EXPECT_EQ(decoder->damaged_packets(), 0U) << each.file;
  }
}

TEST(AudioDecoder, PreservesPitchAndDurationAtEachSpeed) {
  const TempDir folder;
  ffmpeg(Tone + "-c:a flac " + (folder / "tone.flac"));
  const Packets packets = read_packets(folder / "tone.flac");
  for (const double speed : {0.25, 0.5, 0.75, 1.0, 1.25, 2.0, 4.0}) {
    const auto decoder = open(packets);
    decoder->set_speed(speed);
    const auto blocks = decode(*decoder, packets);
    const std::vector<float> left = left_of(blocks);
    EXPECT_NEAR(static_cast<double>(left.size()) / Rate, 4 / speed, 0.2) << speed;
    EXPECT_NEAR(end_of(blocks.back()), 4, 0.05) << speed;
    EXPECT_NEAR(pitch(left), 440, 3) << speed;
    for (const AudioBlock& block : blocks) EXPECT_EQ(block.speed, speed);
  }
}

TEST(AudioDecoder, KeepsMediaTimeAtEachSpeed) {
  const TempDir folder;
  ffmpeg(Late + "-c:a flac " + (folder / "late.flac"));
  const Packets packets = read_packets(folder / "late.flac");
  for (const double speed : {0.25, 0.5, 0.75, 1.1, 1.5, 2.0, 3.0, 4.0}) {
    const auto decoder = open(packets);
    decoder->set_speed(speed);
    const auto blocks = decode(*decoder, packets);
    const double onset =
        blocks.front().media_seconds + static_cast<double>(first_loud(left_of(blocks))) * speed / Rate;
    // The onset is compared in seconds of playback. At the slowest and fastest speeds, the filter blurs the
    // start of the tone more.
    EXPECT_NEAR((onset - 1) / speed, 0, speed < 0.5 || speed > 2 ? 0.020 : 0.010) << speed;
  }
}

TEST(AudioDecoder, ChangesSpeedWithoutGapOrClick) {
  const TempDir folder;
  ffmpeg(Tone + "-c:a aac " + (folder / "tone.m4a"));
  const Packets packets = read_packets(folder / "tone.m4a");
  const auto decoder = open(packets);
  const std::size_t third = packets.packets.size() / 3;
  const auto blocks = decode(*decoder, packets, [&](std::size_t i) {
    if (i == third) decoder->set_speed(2);
    if (i == 2 * third) decoder->set_speed(0.5);
  });
  double heard_to = blocks.front().media_seconds;
  std::vector<float> left;
  for (const AudioBlock& block : blocks) {
    EXPECT_NEAR(block.media_seconds, heard_to, 0.001);
    heard_to = end_of(block);
    for (std::size_t frame = 0; frame < block.frames(); ++frame) left.push_back(block.samples[2 * frame]);
  }
  EXPECT_NEAR(heard_to, 4, 0.05);
  // A 440 Hz tone at 1/8 of full scale changes by less than 0.01 per sample.
  double steepest = 0;
  for (std::size_t i = 2000; i + 4000 < left.size(); ++i) {
    steepest = std::max(steepest, std::abs(static_cast<double>(left[i + 1]) - left[i]));
  }
  EXPECT_LT(steepest, 0.03);
}

TEST(AudioDecoder, DownmixesSurroundWithoutClipping) {
  const TempDir folder;
  ffmpeg(
      "-f lavfi -i \"aevalsrc=0.9*sin(880*PI*t)|0.9*sin(880*PI*t)|0.9*sin(880*PI*t)|0|0.9*sin(880*PI*t)|"
      "0.9*sin(880*PI*t):c=5.1:s=44100:d=1\" -c:a flac " +
      (folder / "surround.flac"));
  const Packets packets = read_packets(folder / "surround.flac");
  const auto decoder = open(packets);
  const std::vector<float> left = left_of(decode(*decoder, packets));
  EXPECT_NEAR(static_cast<double>(left.size()), Rate, 64);
  const float loudest = std::ranges::max(left);
  EXPECT_LE(loudest, 1.0F);
  EXPECT_GT(loudest, 0.8F);
  EXPECT_NEAR(pitch(left), 440, 2);
}

TEST(AudioDecoder, TimestampJumpsAppearInBlocks) {
  const TempDir folder;
  ffmpeg(Tone + "-c:a pcm_s16le " + (folder / "tone.mkv"));
  Packets packets = read_packets(folder / "tone.mkv");
  const std::size_t half = packets.packets.size() / 2;
  for (std::size_t i = 0; i < packets.packets.size(); ++i) {
    packets.packets[i]->packet->pts += i % 3 == 0 ? 5 : 0;   // in ms: jitter
    if (i >= half) packets.packets[i]->packet->pts += 1500;  // in ms: a gap
  }
  const auto decoder = open(packets);
  const auto blocks = decode(*decoder, packets);
  int jumps = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const double jump = blocks[i].media_seconds - end_of(blocks[i - 1]);
    if (std::abs(jump) < 1e-6) continue;
    ++jumps;
    EXPECT_NEAR(jump, 1.5, 0.006);
  }
  EXPECT_EQ(jumps, 1);
}

TEST(AudioDecoder, SkipsBrokenPacketsAndFollowsFormatChange) {
  const TempDir folder;
  ffmpeg(Tone + "-c:a libmp3lame " + (folder / "tone.mp3"));
  Packets packets = read_packets(folder / "tone.mp3");
  for (const std::size_t broken : {20U, 21U, 40U}) {
    AVPacket& packet = *packets.packets[broken]->packet;
    ASSERT_EQ(av_packet_make_writable(&packet), 0);
    std::fill_n(packet.data, packet.size, std::uint8_t{0x55});
  }
  const auto decoder = open(packets);
  const auto blocks = decode(*decoder, packets);
  EXPECT_GE(decoder->damaged_packets(), 1U);
  EXPECT_NEAR(end_of(blocks.back()), 4, 0.1);

  // The rate and channel count of MPEG audio may change from frame to frame.
  ffmpeg("-f lavfi -i \"sine=frequency=440:sample_rate=32000:duration=2\" -ac 1 -c:a libmp3lame " +
         (folder / "b.mp3"));
  const Packets other = read_packets(folder / "b.mp3");
  Packets both = read_packets(folder / "tone.mp3");
  const std::int64_t last = both.packets.back()->packet->pts + both.packets.back()->packet->duration;
  for (const auto& packet : other.packets) {
    packet->packet->pts += last;
    both.packets.push_back(packet);
  }
  const auto second = open(both);
  std::vector<float> left;
  for (const AudioBlock& block : decode(*second, both)) {
    for (std::size_t frame = 0; frame < block.frames(); ++frame) left.push_back(block.samples[2 * frame]);
  }
  EXPECT_NEAR(static_cast<double>(left.size()) / Rate, 6, 0.15);
  EXPECT_NEAR(pitch(left), 440, 3);
}

TEST(AudioDecoder, NewEpochResetsState) {
  const TempDir folder;
  ffmpeg(Tone + "-c:a flac " + (folder / "tone.flac"));
  const Packets packets = read_packets(folder / "tone.flac");
  const auto decoder = open(packets);
  decoder->set_speed(2);
  for (std::size_t i = 0; i < 10; ++i) static_cast<void>(decoder->decode(*packets.packets[i]));
  packets.packets[2]->epoch = 7;
  decoder->set_speed(1);
  const auto blocks = decoder->decode(*packets.packets[2]);
  ASSERT_FALSE(blocks.empty());
  EXPECT_EQ(blocks.front().epoch, 7U);
  EXPECT_NEAR(blocks.front().media_seconds,
              static_cast<double>(packets.packets[2]->packet->pts) * av_q2d(packets.stream.time_base), 1e-9);
}

}  // namespace
}  // namespace glyphreel::test::audio_decoder_test
