#include "player/playback/decode_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "../../../eventually.h"
#include "../../../threads_at_rest.h"
#include "fake_source.h"

namespace glyphreel::player::decode_thread_test {
namespace {

using media::SeekMode;
using test::eventually;
using test::wait_until_others_sleep;

bool has_frames(DecodeThread& decoder, std::size_t count = 1) {
  return eventually([&] {
    decoder.fetch();
    return decoder.waiting().size() >= count;
  });
}

bool comes_to_end(DecodeThread& decoder) {
  return eventually([&] {
    decoder.fetch();
    decoder.waiting().clear();
    return decoder.at_end();
  });
}

TEST(DecodeThread, LimitsHeldHardwareFrames) {
  FakeSource::Script script = FakeSource::regular(100);
  script.is_hardware = true;
  FakeSource source(script);
  DecodeThread decoder(source);
  constexpr std::size_t MaxWaiting = DecodeThread::MaxWaitingSurfaces;
  ASSERT_TRUE(has_frames(decoder, MaxWaiting));
  EXPECT_TRUE(decoder.is_full());
  // Decoding pauses when waiting() and the queue are full and the decode thread holds one more frame.
  constexpr int Held = static_cast<int>(MaxWaiting + DecodeThread::MaxQueuedSurfaces) + 1;
  EXPECT_TRUE(eventually([&] { return source.surfaces() == Held; }));
  EXPECT_LT(Held, media::MaxHeldSurfaces);
  std::vector<std::int64_t> got;
  EXPECT_TRUE(eventually([&] {
    decoder.fetch();
    EXPECT_LE(decoder.waiting().size(), MaxWaiting);
    EXPECT_LE(source.surfaces(), Held);
    if (!decoder.waiting().empty()) {
      got.push_back(decoder.waiting().front().pts);
      decoder.waiting().pop_front();
    }
    return decoder.at_end();
  }));
  ASSERT_EQ(got.size(), 100u);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], static_cast<std::int64_t>(i) * 40);
  EXPECT_EQ(source.surfaces(), 0);
  // After the end, a seek delivers frames again.
  decoder.seek({.seconds = 1, .mode = SeekMode::Exact, .epoch = 1});
  ASSERT_TRUE(has_frames(decoder, MaxWaiting));
  EXPECT_EQ(decoder.waiting().front().pts, 1000);
}

TEST(DecodeThread, DeliversFramesInOrderToEnd) {
  FakeSource source(FakeSource::regular(100));
  std::atomic<int> changes = 0;
  DecodeThread decoder(source, [&] { ++changes; });
  std::vector<std::int64_t> got;
  EXPECT_TRUE(eventually([&] {
    decoder.fetch();
    EXPECT_LE(decoder.waiting().size(), DecodeThread::Capacity);
    for (const Frame& frame : decoder.waiting()) got.push_back(frame.pts);
    decoder.waiting().clear();
    return decoder.at_end();
  }));
  ASSERT_EQ(got.size(), 100u);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], static_cast<std::int64_t>(i) * 40);
  EXPECT_TRUE(eventually([&] { return changes == 101; })) << "each frame and the end must wake the player";
  EXPECT_FALSE(decoder.take_error());
}

TEST(DecodeThread, LimitsReadAhead) {
  FakeSource source(FakeSource::regular(1000));
  DecodeThread decoder(source);
  ASSERT_TRUE(has_frames(decoder, DecodeThread::Capacity));
  wait_until_others_sleep();
  decoder.fetch();
  wait_until_others_sleep();
  // waiting() and the queue are full, and the decode thread holds one frame that does not fit in the queue.
  EXPECT_EQ(source.reads(), 2 * DecodeThread::Capacity + 1);
}

TEST(DecodeThread, SeekDropsStaleFrames) {
  FakeSource source(FakeSource::regular(1000));
  DecodeThread decoder(source);
  for (std::uint32_t i = 1; i <= 200; ++i) {
    if (i % 3 == 0) {
      ASSERT_TRUE(has_frames(decoder));
    }
    const double target = i * 7 % 39;
    decoder.seek({.seconds = target, .mode = SeekMode::Exact, .epoch = i});
    EXPECT_EQ(decoder.is_seeking(), decoder.waiting().empty());
    for (const Frame& frame : decoder.waiting())
      ASSERT_EQ(frame.epoch, i) << "stale frames must disappear immediately";
    decoder.fetch();
    if (decoder.waiting().empty() && i % 2 == 0) continue;  // start the next seek before this seek completes
    ASSERT_TRUE(has_frames(decoder));
    EXPECT_FALSE(decoder.is_seeking());
    EXPECT_EQ(decoder.waiting().front().pts, std::llround(target * 1000));
    for (const Frame& frame : decoder.waiting()) ASSERT_EQ(frame.epoch, i);
  }
}

TEST(DecodeThread, NewestSeekWins) {
  FakeSource source(FakeSource::regular(1000));
  DecodeThread decoder(source);
  ASSERT_TRUE(has_frames(decoder));
  source.set_gate(false);  // blocks the thread in read(), or in the first of the seeks below
  decoder.seek({.seconds = 1, .mode = SeekMode::Exact, .epoch = 1});
  for (std::uint32_t i = 2; i <= 100; ++i)
    decoder.seek({.seconds = i * 0.2, .mode = SeekMode::Exact, .epoch = i});
  source.set_gate(true);
  ASSERT_TRUE(has_frames(decoder));
  EXPECT_EQ(decoder.waiting().front().pts, 20'000);
  EXPECT_EQ(decoder.waiting().front().epoch, 100u);
  EXPECT_LE(source.seeks(), 2u) << "the seeks in between must be skipped";
}

TEST(DecodeThread, SeekResumesAfterEnd) {
  FakeSource source(FakeSource::regular(20));
  DecodeThread decoder(source);
  ASSERT_TRUE(comes_to_end(decoder));
  decoder.seek({.seconds = 0.4, .mode = SeekMode::Exact, .epoch = 1});
  EXPECT_FALSE(decoder.at_end());
  ASSERT_TRUE(has_frames(decoder));
  EXPECT_EQ(decoder.waiting().front().pts, 400);
  ASSERT_TRUE(comes_to_end(decoder));
  // A seek past the last frame completes and reports the end.
  decoder.seek({.seconds = 9, .mode = SeekMode::Exact, .epoch = 2});
  ASSERT_TRUE(comes_to_end(decoder));
  EXPECT_FALSE(decoder.is_seeking());
}

TEST(DecodeThread, ErrorIsReportedOnceAfterEarlierFrames) {
  FakeSource::Script script = FakeSource::regular(100);
  script.fails_at = 5;
  FakeSource source(script);
  DecodeThread decoder(source);
  ASSERT_TRUE(has_frames(decoder, 5));
  EXPECT_TRUE(eventually([&] { return source.reads() == 6; }));
  wait_until_others_sleep();  // until the error has been reported
  decoder.fetch();
  EXPECT_FALSE(decoder.at_end()) << "frames are still queued";
  EXPECT_FALSE(decoder.take_error()) << "queued frames must be shown before the error is reported";
  ASSERT_TRUE(comes_to_end(decoder));
  const std::optional<Error> error = decoder.take_error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "The disk is gone.");
  EXPECT_FALSE(decoder.take_error());
  decoder.seek({.seconds = 0, .mode = SeekMode::Exact, .epoch = 1});
  ASSERT_TRUE(has_frames(decoder)) << "a seek to frames before the error must succeed";
  EXPECT_EQ(decoder.waiting().front().pts, 0);
}

TEST(DecodeThread, FailedSeekContinuesAtCurrentPosition) {
  FakeSource::Script script = FakeSource::regular(1000);
  script.seeks_fail = true;
  FakeSource source(script);
  DecodeThread decoder(source);
  ASSERT_TRUE(has_frames(decoder));
  const std::int64_t before = decoder.waiting().front().pts;
  decoder.seek({.seconds = 30, .mode = SeekMode::Exact, .epoch = 1});
  ASSERT_TRUE(has_frames(decoder));
  const std::optional<Error> error = decoder.take_seek_error();
  ASSERT_TRUE(error);
  EXPECT_FALSE(decoder.take_seek_error());
  EXPECT_FALSE(decoder.take_error()) << "playback continues";
  EXPECT_GT(decoder.waiting().front().pts, before);
  EXPECT_LT(decoder.waiting().front().pts, 30'000);
  EXPECT_EQ(decoder.waiting().front().epoch, 1u);
}

TEST(DecodeThread, FailedSeekAtEndStaysAtEnd) {
  FakeSource::Script script = FakeSource::regular(3);
  script.seeks_fail = true;
  FakeSource source(script);
  DecodeThread decoder(source);
  ASSERT_TRUE(comes_to_end(decoder));
  decoder.seek({.seconds = 0, .mode = SeekMode::Exact, .epoch = 1});
  EXPECT_TRUE(comes_to_end(decoder)) << "otherwise the player would wait forever for a finished pipe";
  EXPECT_TRUE(decoder.take_seek_error());
}

TEST(DecodeThread, EndsDuringInputStall) {
  FakeSource source(FakeSource::regular(1000));
  source.set_gate(false);
  DecodeThread decoder(source);
  EXPECT_TRUE(eventually([&] { return source.reads() == 1; }));
  // If the destructor hangs, so does the test.
}

}  // namespace
}  // namespace glyphreel::player::decode_thread_test
