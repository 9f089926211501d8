#include "batch/decision.h"

#include <array>

namespace glyphreel::batch {

std::string_view reason_text(Reason reason) {
  constexpr std::array<std::string_view, 10> Texts = {"it is done",
                                                      "the output exists; --force replaces it",
                                                      "it is new",
                                                      "--force is given",
                                                      "it was not finished",
                                                      "it failed before",
                                                      "the input has changed",
                                                      "the settings, the font or the program have changed",
                                                      "the output is missing",
                                                      "the output has changed"};
  return Texts[static_cast<std::size_t>(reason)];
}

Reason decide(const Item* known, const Circumstances& now) {
  if (now.is_forced) return Reason::Forced;
  if (known == nullptr) return now.output_bytes ? Reason::OutputExists : Reason::New;
  if (known->state == State::Failed) return Reason::FailedBefore;
  if (known->state != State::Done) return Reason::Unfinished;
  if (now.input_changed) return Reason::InputChanged;
  if (now.settings_changed) return Reason::SettingsChanged;
  if (!now.output_bytes) return Reason::OutputMissing;
  if (*now.output_bytes != known->figures.bytes) return Reason::OutputChanged;
  return Reason::Done;
}

}  // namespace glyphreel::batch
