#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "media/encode/writer.h"
#include "media/stream/audio_stream.h"
#include "support/clips.h"
#include "support/pictures.h"
#include "support/recordings.h"

namespace glyphreel::media::writer_failure_test {
namespace {

using namespace glyphreel::test;
namespace fs = std::filesystem;

WriterOptions small_options(std::string path) {
  WriterOptions options;
  options.path = std::move(path);
  options.size = {128, 96};
  options.time_base = {1, 25};
  options.frame_rate = {25, 1};
  return options;
}

void expect_error(const WriterOptions& options, ErrorCode code, const std::string& part_of_message) {
  const auto writer = Writer::open(options);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, code) << writer.error().message;
  EXPECT_NE(writer.error().message.find(part_of_message), std::string::npos) << writer.error().message;
}

TEST(Writer, RejectsInvalidOptions) {
  const TempDir dir;
  auto options = small_options(dir / "out.avi");
  expect_error(options, ErrorCode::Usage, ".mp4, .mkv");
  options = small_options(dir / "out.mp4");
  options.codec = "nonesuch";
  expect_error(options, ErrorCode::Usage, "nonesuch");
  options.codec = "aac";
  expect_error(options, ErrorCode::Usage, "no video encoder");
  options = small_options(dir / "out.webm");
  options.codec = "libx264";
  expect_error(options, ErrorCode::Usage, "libvpx-vp9");
  options = small_options(dir / "out.mp4");
  options.size = {127, 96};
  expect_error(options, ErrorCode::Usage, "use 128x96");
  options = small_options(dir / "out.mp4");
  options.codec = "mpeg4";
  options.crf = 20;
  expect_error(options, ErrorCode::Usage, "--bitrate");
  options = small_options(dir / "out.mp4");
  options.preset = "nonesuch";
  expect_error(options, ErrorCode::Usage, "settings");
  options = small_options(dir / "out.webm");
  options.preset = "slow";
  expect_error(options, ErrorCode::Usage, "has no preset slow");
  options = small_options(dir / "nonesuch/out.mp4");
  expect_error(options, ErrorCode::Failed, "folder does not exist");
  options = small_options(dir / "film.mp4");
  fs::create_directory(options.path);
  expect_error(options, ErrorCode::Usage, "directory");
  EXPECT_FALSE(fs::exists(dir / "out.part.mp4"));
}

TEST(Writer, ReplacesFileOnlyWhenAllowed) {
  const TempDir dir;
  auto options = small_options(dir / "out.mkv");
  write_bytes(options.path, {1, 2, 3});
  expect_error(options, ErrorCode::Usage, "--force");
  EXPECT_EQ(read_bytes(options.path).size(), 3U);

  options.overwrite = true;
  auto writer = Writer::open(options);
  ASSERT_TRUE(writer) << writer.error().message;
  const auto memory = make_heap_memory();
  ASSERT_TRUE((*writer)->write_video(noise_picture(*memory, PictureFormat::Yuv420p, options.size, 0), 0, 1));
  EXPECT_EQ(read_bytes(options.path).size(), 3U);  // the old file remains until the new one is complete
  ASSERT_TRUE((*writer)->finish());
  EXPECT_GT(read_bytes(options.path).size(), 100U);
}

TEST(Writer, LeavesPlayablePartFileWhenAbandoned) {
  const TempDir dir;
  for (const char* name : {"out.mp4", "out.mkv"}) {
    const auto options = small_options(dir / name);
    {
      auto writer = Writer::open(options);
      ASSERT_TRUE(writer);
      const auto memory = make_heap_memory();
      for (int i = 0; i < 150; ++i) {
        ASSERT_TRUE(
            (*writer)->write_video(noise_picture(*memory, PictureFormat::Yuv420p, options.size, i), i, 1));
      }
    }
    EXPECT_FALSE(fs::exists(options.path));
    EXPECT_GT(probed_frame_pts(part_path(options.path)).size(), 100U);
  }
}

/// Regression test: one damaged packet used to end the whole recording.
TEST(Writer, SkipsDamagedAudio) {
  const TempDir dir;
  const std::string clip =
      "-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine=sample_rate=48000 -t 2 -c:v libx264 -c:a "
      "aac ";
  ffmpeg(clip + (dir / "input.ts"));
  for (const char* name : {"out.mp4", "out.mov", "out.mkv"}) {
    const std::string output = dir / name;
    const auto whole = record(dir / "input.ts", output, {});
    ASSERT_TRUE(whole.ok);
    auto expected = audio_packet_hashes(output);
    const auto packets = static_cast<std::int64_t>(expected.size());
    fs::remove(output);
    const auto recorded = record(dir / "input.ts", output, {.damaged_audio_every = 5});
    ASSERT_TRUE(recorded.ok) << name;
    EXPECT_EQ(recorded.damaged_packets, (packets + 4) / 5) << name;
    std::size_t number = 0;
    std::erase_if(expected, [&number](const std::string&) { return number++ % 5 == 0; });
    EXPECT_EQ(audio_packet_hashes(output), expected) << name;
    EXPECT_EQ(probed_frame_pts(output).size(), 50U) << name;
  }
}

/// Tests damage that only the muxer detects, possibly when a later packet arrives.
TEST(Writer, SkipsAudioRejectedByMuxer) {
  const TempDir dir;
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine=sample_rate=48000 -t 2 -c:v libx264 -c:a "
      "aac " +
      (dir / "input.mp4"));
  const auto packets = audio_packet_hashes(dir / "input.mp4").size();
  for (const char* name : {"out.mp4", "out.mov"}) {
    const auto recorded = record(dir / "input.mp4", dir / name, {.damaged_audio_every = 1000});
    ASSERT_TRUE(recorded.ok) << name;
    EXPECT_EQ(recorded.damaged_packets, 1) << name;
    EXPECT_EQ(audio_packet_hashes(dir / name).size(), packets - 1) << name;
    EXPECT_EQ(probed_frame_pts(dir / name).size(), 50U) << name;
  }
}

/// Tests that a failed Writer::open() removes the .part file that it created, but keeps the .part file of an
/// earlier recording.
TEST(Writer, LeavesNoFileAfterFailedOpen) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine -t 1 -c:v libx264 -c:a aac " +
         (dir / "input.mp4"));
  SourceOptions input;
  input.url = dir / "input.mp4";
  input.audio = AudioDelivery::WithFrames;
  const auto source = open_source(input);
  ASSERT_NE(source, nullptr);
  auto audio = std::make_shared<AudioStream>();
  audio->parameters.reset(avcodec_parameters_alloc());
  ASSERT_GE(avcodec_parameters_copy(audio->parameters.get(), source->audio()->parameters.get()), 0);
  audio->time_base = source->audio()->time_base;
  // The writer can neither copy nor decode this audio: no container supports the codec, and decoding it needs
  // extradata.
  audio->parameters->codec_id = AV_CODEC_ID_XMA2;
  audio->parameters->extradata_size = 0;
  auto options = small_options(dir / "out.mp4");
  options.audio = audio;
  const auto writer = Writer::open(options);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, ErrorCode::Failed) << writer.error().message;
  EXPECT_FALSE(fs::exists(part_path(options.path)));

  write_bytes(part_path(options.path), {1, 2, 3});
  options = small_options(dir / "out.mp4");
  options.codec = "nonesuch";
  EXPECT_FALSE(Writer::open(options));
  EXPECT_EQ(read_bytes(part_path(options.path)).size(), 3U);
}

TEST(Writer, RejectsCodecUnsupportedByMov) {
  const TempDir dir;
  for (const char* codec : {"libvpx-vp9", "libvpx", "libaom-av1", "libsvtav1"}) {
    auto options = small_options(dir / "out.mov");
    options.codec = codec;
    expect_error(options, ErrorCode::Usage,
                 std::string(".mov file cannot contain video from the encoder ") + codec);
    EXPECT_FALSE(fs::exists(part_path(options.path))) << codec;
  }
}

class KilledWriter : public testing::TestWithParam<const char*> {};

TEST_P(KilledWriter, LeavesPlayablePartFile) {
  const TempDir dir;
  const auto options = small_options(dir / (std::string("out.") + GetParam()));
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto writer = Writer::open(options);
    const auto memory = make_heap_memory();
    bool ok = static_cast<bool>(writer);
    for (int i = 0; ok && i < 200; ++i) {
      ok = static_cast<bool>(
          (*writer)->write_video(noise_picture(*memory, PictureFormat::Yuv420p, options.size, i), i, 1));
    }
    const char answer = ok ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);

  EXPECT_FALSE(fs::exists(options.path));
  // 200 frames are 8 s. At most a fragment of one second and the encoder's look-ahead are lost.
  const auto seconds = probe(part_path(options.path), "-select_streams v:0 -show_entries frame=pts_time");
  EXPECT_GE(seconds.size(), 110U);
  SourceOptions input;
  input.url = part_path(options.path);
  const auto source = open_source(input);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(read_frames(*source).size(), seconds.size());
}

INSTANTIATE_TEST_SUITE_P(Containers, KilledWriter, testing::Values("mp4", "mov", "mkv", "webm"),
                         [](const auto& tested) { return std::string(tested.param); });

/// Runs `body` in a child process whose files cannot exceed `limit` bytes. To a writer this looks like a
/// full disk, except for the error code (EFBIG instead of ENOSPC). Returns whether `body` returned true.
template <typename Body>
bool with_file_limit(rlim_t limit, Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit bound{limit, limit};
    const bool ok = ::setrlimit(RLIMIT_FSIZE, &bound) == 0 && body();
    ::_exit(ok ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class FullDisk : public testing::TestWithParam<const char*> {};

TEST_P(FullDisk, FailsWithMessageAndNoFinalFile) {
  const TempDir dir;
  auto options = small_options(dir / (std::string("out.") + GetParam()));
  options.overwrite = true;  // replaces the .part file of the previous attempt
  // Whether recording `frames` frames fails with the right message. The limits below are exceeded by an early
  // frame, by a later one, or only in finish().
  const auto fails_clearly = [&options](int frames) {
    auto writer = Writer::open(options);
    const auto memory = make_heap_memory();
    Result<void> result = writer ? Result<void>() : Result<void>(writer.error());
    for (int i = 0; result && i < frames; ++i) {
      result = (*writer)->write_video(noise_picture(*memory, PictureFormat::Yuv420p, options.size, i), i, 1);
    }
    if (result) result = (*writer)->finish();
    return !result && result.error().code == ErrorCode::Failed &&
           result.error().message.find("file reached the maximum size") != std::string::npos;
  };
  for (const rlim_t limit : {rlim_t{20'000}, rlim_t{100'000}}) {
    EXPECT_TRUE(with_file_limit(limit, [&] { return fails_clearly(200); })) << limit;
    EXPECT_FALSE(fs::exists(options.path)) << limit;
  }
  EXPECT_TRUE(with_file_limit(2'000, [&] { return fails_clearly(4); }));  // finish() writes all 4 frames
  EXPECT_FALSE(fs::exists(options.path));
}

INSTANTIATE_TEST_SUITE_P(Containers, FullDisk, testing::Values("mp4", "mkv", "webm"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace glyphreel::media::writer_failure_test
