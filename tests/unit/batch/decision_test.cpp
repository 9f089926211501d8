#include "batch/decision.h"

#include <gtest/gtest.h>

namespace glyphreel::batch::decision_test {
namespace {

Item item(State state) {
  Item item{.state = state};
  item.figures.bytes = 100;
  return item;
}

TEST(Decision, NewItems) {
  EXPECT_EQ(decide(nullptr, {}), Reason::New);
  EXPECT_EQ(decide(nullptr, {.output_bytes = 1}), Reason::OutputExists);
  EXPECT_EQ(decide(nullptr, {.is_forced = true, .output_bytes = 1}), Reason::Forced);
}

TEST(Decision, FinishedItemsAreRedoneOnlyIfSomethingChanged) {
  const Item done = item(State::Done);
  EXPECT_EQ(decide(&done, {.output_bytes = 100}), Reason::Done);
  EXPECT_EQ(decide(&done, {.input_changed = true, .output_bytes = 100}), Reason::InputChanged);
  EXPECT_EQ(decide(&done, {.settings_changed = true, .output_bytes = 100}), Reason::SettingsChanged);
  EXPECT_EQ(decide(&done, {}), Reason::OutputMissing);
  EXPECT_EQ(decide(&done, {.output_bytes = 99}), Reason::OutputChanged);
  EXPECT_EQ(decide(&done, {.is_forced = true, .output_bytes = 100}), Reason::Forced);
}

TEST(Decision, UnfinishedAndFailedItemsAreTriedAgain) {
  for (const State state : {State::Waiting, State::Running}) {
    const Item stopped = item(state);
    EXPECT_EQ(decide(&stopped, {.output_bytes = 100}), Reason::Unfinished);
  }
  const Item failed = item(State::Failed);
  EXPECT_EQ(decide(&failed, {}), Reason::FailedBefore);
}

}  // namespace
}  // namespace glyphreel::batch::decision_test
