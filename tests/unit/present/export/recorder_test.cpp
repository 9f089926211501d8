#include "present/export/recorder.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>

#include "../../player/playback/fake_source.h"

namespace glyphreel::present::recorder_test {
namespace {

class OutOfMemorySource final : public player::FakeSource {
 public:
  OutOfMemorySource() : FakeSource(regular(1)) {}
  Result<media::SourceItem> read() override { throw std::bad_alloc(); }
};

class AbandonedSink final : public FrameSink {
 public:
  PictureFormat picture_format() const override { return PictureFormat::None; }
  Result<void> write(const render::RenderedFrame&) override { return {}; }
  Result<void> write_audio(const media::AudioPacket&) override { return {}; }
  Result<void> finish() override {
    ADD_FAILURE() << "a recording that failed got its final name";
    return {};
  }
  std::string abandon() override { return "film.part.mp4"; }
  std::string description() const override { return "a test's"; }
};

TEST(Recorder, DecoderExceptionBecomesErrorNamingRecording) {
  OutOfMemorySource source;
  AbandonedSink sink;
  StageTimes times;
  const Result<RecordOutcome> outcome = record(
      {.source = &source, .sink = &sink, .times = &times, .progress = ProgressLine::Visibility::Hidden});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("Memory ran out"), std::string::npos);
  EXPECT_NE(outcome.error().message.find("film.part.mp4"), std::string::npos);
}

}  // namespace
}  // namespace glyphreel::present::recorder_test
