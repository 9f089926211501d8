#include "present/recorder.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>

#include "../player/fake_source.h"

namespace glyphreel::present {
namespace {

class OutOfMemorySource final : public player::FakeSource {
 public:
  OutOfMemorySource() : FakeSource(regular(1)) {}
  Result<media::SourceItem> read() override { throw std::bad_alloc(); }
};

TEST(Recorder, AnExceptionOfTheDecoderIsAnError) {
  OutOfMemorySource source;
  StageTimes times;
  const Result<RecordOutcome> outcome =
      record({.source = &source, .times = &times, .progress = ProgressLine::Visibility::Hidden});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("Memory ran out"), std::string::npos);
}

}  // namespace
}  // namespace glyphreel::present
