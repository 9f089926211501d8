// Recording what is played: the key that starts and ends it, and what the recording receives at each step.

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "player/player.h"
#include "player/recording/recording_name.h"

namespace glyphreel::player {
namespace {

const std::string RecordingTopic = "recording";  // of messages that are not themselves recorded
constexpr double LateSoundSeconds = 1;           // how late a picture's sound may be decoded

}  // namespace

void Player::set_recording(bool on) {
  if (on == (recording_ != nullptr)) return;
  if (!on) {
    end_recording();
    return;
  }
  if (!grid_) return;
  const CellSize cell = live_->glyphs().glyphs->cell();
  LiveRecording::Options options{.writer = {.path = free_recording_name(settings_.codec),
                                            .codec = settings_.codec,
                                            .crf = settings_.crf,
                                            .bits_per_second = settings_.bits_per_second,
                                            .threads = settings_.threads,
                                            .frame_rate = playback_->facts().frame_rate,
                                            .sound_rate = settings_.audio ? RecordingTimeline::Rate : 0},
                                 .grid = *grid_,
                                 .cell = cell,
                                 .times = &times_,
                                 .on_change = [this] { wake(); }};
  const std::string path = options.writer.path;
  Result<std::unique_ptr<LiveRecording>> begun = LiveRecording::begin(std::move(options));
  if (!begun) {
    report_error(begun.error().message);
    return;
  }
  recording_ = *std::move(begun);
  recording_text_ = std::make_unique<render::OverlayBuilder>(
      render::OverlayBuilder::Options{.on_loaded = [this] { wake(); }});
  sound_cursor_ = 0;
  osd_.recording_seconds = 0;
  sync_setup();
  log::info("Recording to {}.", path);
  show_message(RecordingTopic, fmt::format("Recording to {}", path));
  // The picture on the screen is the first one of the recording.
  sync_recording(Clock::now());
  static_cast<void>(update_recorded_text());
  if (const Frame* frame = playback_->last_frame()) keep_for_recording(with_bitmaps(*frame));
  record_again();
}

/// Keeps the frame in host memory, where the recording's renderer reads it: a hardware decoder needs its
/// frames back sooner.
void Player::keep_for_recording(const Frame& frame) {
  Result<Frame> host = on_host(frame, nullptr);
  if (!host) {
    log::warn("{}", host.error().message);
    return;
  }
  statistics_.host_bytes_copied += host->bytes_copied - frame.bytes_copied;
  recorded_frame_ = *std::move(host);
}

void Player::end_recording() {
  if (!recording_) return;
  recording_->end();
  ending_recordings_.push_back(std::move(recording_));
  recording_text_.reset();
  recorded_overlay_.reset();
  recorded_setup_.reset();
  recorded_frame_.reset();
  osd_.recording_seconds.reset();
}

/// Waits until all recordings are complete or have failed.
void Player::finish_recordings() {
  end_recording();
  for (const std::unique_ptr<LiveRecording>& recording : ending_recordings_) recording->wait();
  tell_recordings();
}

/// The recording draws with the setup of the screen.
void Player::sync_setup() {
  if (!recording_ || !grid_) return;
  const LoadedGlyphs& glyphs = live_->glyphs();
  recorded_setup_ = std::make_shared<const render::RenderSetup>(live_->setup(*grid_));
  recording_text_->set_font(glyphs.settings.font, glyphs.glyphs->cell());
}

/// Passes on the sound decoded since the last step, and how far the input has been played. Call it before a
/// command or a step changes that.
void Player::sync_recording(TimePoint now) {
  tell_recordings();
  if (!recording_) return;
  for (RecentAudio::Decoded& decoded : sound_tap_.since(sound_cursor_)) {
    recording_->hear(decoded.passage, std::move(decoded.block));
  }
  // Sound that is played later is decoded later.
  recording_->set_patience(LateSoundSeconds + std::max(0.0, playback_->controls().audio_delay));
  if (const std::optional<Playback::Played> played = playback_->played(now)) {
    recording_->reach({input_number_, played->epoch}, played->media_seconds);
  }
  osd_.recording_seconds = recording_->seconds();
}

/// Records what is on the screen, starting at this media time.
void Player::record(double media_seconds) {
  if (!recording_ || !recorded_frame_) return;
  const std::optional<Playback::Played> played = playback_->played(Clock::now());
  if (!played) return;
  recording_->show({.frame = *recorded_frame_,
                    .passage = {input_number_, played->epoch},
                    .media_seconds = media_seconds,
                    .rate = played->rate,
                    .setup = recorded_setup_,
                    .adjustments = live_->adjustments(),
                    .overlay = recorded_overlay_});
}

/// Records the same picture with other text or settings, from the current position.
void Player::record_again() {
  if (!recording_ || !recorded_frame_) return;
  if (const std::optional<Playback::Played> played = playback_->played(Clock::now()))
    record(played->media_seconds);
}

/// Updates the recording's text: the current text except what is about the recording itself or about a
/// split view, of which the recording has only the picture. Returns true if it has changed.
bool Player::update_recorded_text() {
  if (!recording_ || !grid_) return false;
  OsdState recorded = osd_;
  recorded.recording_seconds.reset();
  recorded.split.reset();
  std::erase_if(recorded.messages, [](const OsdMessage& message) { return message.topic == RecordingTopic; });
  const std::array<render::TextLayer, LayerCount> layers = {layers_[SubtitleLayer],
                                                            lay_out_osd(recorded, *grid_)};
  std::shared_ptr<const render::Overlay> overlay = recording_text_->make(*grid_, layers);
  if (overlay == recorded_overlay_) return false;
  recorded_overlay_ = std::move(overlay);
  return true;
}

void Player::tell_recordings() {
  if (recording_) {
    // Only a failure ends it by itself.
    if (std::optional<Result<LiveRecording::Outcome>> outcome = recording_->take_outcome()) {
      tell_outcome(*outcome);
      end_recording();
    }
  }
  std::erase_if(ending_recordings_, [this](const std::unique_ptr<LiveRecording>& recording) {
    const std::optional<Result<LiveRecording::Outcome>> outcome = recording->take_outcome();
    if (outcome) tell_outcome(*outcome);
    return outcome.has_value();
  });
}

void Player::tell_outcome(const Result<LiveRecording::Outcome>& outcome) {
  if (!outcome) {
    log::error("The recording stopped: {} {}", outcome.error().message, outcome.error().cause);
    report_error(outcome.error().message, RecordingTopic);
    return;
  }
  statistics_.encoded += outcome->pictures;
  if (outcome->pictures == 0) {
    log::info("Nothing was played while recording, so {} was not written.", outcome->path);
    show_message(RecordingTopic, "Nothing was played while recording, so no file was written.");
    return;
  }
  std::string text =
      fmt::format("Saved {} ({})", outcome->path, recording_facts(outcome->path, outcome->seconds));
  log::info("{}", text);
  if (outcome->left_out > 0) {
    const std::string missing =
        fmt::format("{} picture{} missing: encoding was too slow; {} is faster", outcome->left_out,
                    outcome->left_out == 1 ? " is" : "s are",
                    outcome->encoder == "libx264" ? "a smaller window" : "--codec libx264");
    log::info("{}", missing);
    text += '\n' + missing;
  }
  show_message(RecordingTopic, text);
}

}  // namespace glyphreel::player
