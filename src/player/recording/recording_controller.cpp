#include "player/recording/recording_controller.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "player/recording/recording_name.h"

namespace glyphreel::player {
namespace {

const std::string RecordingTopic = "recording";  // OSD messages with this topic are not recorded
constexpr double LateAudioSeconds = 1;           // how long to wait for audio that is decoded late
// Six seconds. Audio is decoded less than a second before it is played; the other five seconds allow for
// delays of the player.
constexpr std::size_t KeptAudioFrames = 6 * RecordingTimeline::Rate;

}  // namespace

RecordingController::RecordingController(Options options) : options_(std::move(options)) {}

void RecordingController::add_audio(std::uint32_t input, const media::AudioBlock& block) {
  DecodedAudio decoded{{input, block.epoch}, std::make_shared<const media::AudioBlock>(block)};
  const MutexLock lock(mutex_);
  recent_frames_ += block.frames();
  recent_audio_.push_back(std::move(decoded));
  while (recent_frames_ > KeptAudioFrames) {
    recent_frames_ -= recent_audio_.front().block->frames();
    recent_audio_.pop_front();
  }
  new_blocks_ = std::min(new_blocks_ + 1, recent_audio_.size());
}

std::vector<RecordingController::DecodedAudio> RecordingController::take_new_audio() {
  const MutexLock lock(mutex_);
  const auto count = static_cast<std::ptrdiff_t>(std::exchange(new_blocks_, 0));
  return {recent_audio_.end() - count, recent_audio_.end()};
}

void RecordingController::start(const LiveSettings& live, GridSize grid, Rational frame_rate) {
  const cli::Settings& settings = *options_.settings;
  const CellSize cell = live.cell();
  const std::string path = free_recording_name(settings.recording.codec);
  Result<std::unique_ptr<LiveRecording>> begun =
      LiveRecording::begin({.writer = {.path = path,
                                       .codec = settings.recording.codec,
                                       .pixel_format = settings.recording.pixel_format,
                                       .crf = settings.recording.crf,
                                       .preset = settings.recording.preset,
                                       .bits_per_second = settings.recording.bits_per_second,
                                       .threads = settings.engine.threads,
                                       .size = {grid.columns * cell.width, grid.rows * cell.height},
                                       .frame_rate = frame_rate,
                                       .sample_rate = settings.audio.enabled ? RecordingTimeline::Rate : 0},
                            .times = options_.times,
                            .on_change = options_.wake});
  if (!begun) {
    options_.osd->show_error(begun.error().message);
    return;
  }
  recording_ = *std::move(begun);
  text_ = std::make_unique<PictureText>(options_.wake);
  {
    const MutexLock lock(mutex_);
    new_blocks_ = recent_audio_.size();
  }
  options_.osd->state().recording_seconds = 0;
  configure(live, grid);
  log::info("Recording to {}.", path);
  options_.osd->show_message(RecordingTopic, fmt::format("Recording to {}", path));
}

void RecordingController::end() {
  if (!recording_) return;
  recording_->end();
  ending_.push_back(std::move(recording_));
  text_.reset();
  frame_options_ = {};
  setup_.reset();
  frame_.reset();
  options_.osd->state().recording_seconds.reset();
}

void RecordingController::finish() {
  end();
  for (const std::unique_ptr<LiveRecording>& recording : ending_) recording->wait();
  report_ended();
}

void RecordingController::configure(const LiveSettings& live, GridSize grid) {
  if (!recording_) return;
  setup_ = std::make_shared<const render::RenderSetup>(live.setup(grid));
}

void RecordingController::sync(const Playback& playback, std::chrono::steady_clock::time_point now) {
  report_ended();
  if (!recording_) return;
  for (DecodedAudio& decoded : take_new_audio()) {
    recording_->push_audio(decoded.segment, std::move(decoded.block));
  }
  // If the user delays the audio, it is decoded later by the length of the delay.
  recording_->set_audio_timeout(LateAudioSeconds + std::max(0.0, playback.controls().audio_delay));
  if (const std::optional<Playback::Played> played = playback.played(now)) {
    recording_->advance_to({input_, played->epoch}, played->media_seconds);
  }
  options_.osd->state().recording_seconds = recording_->seconds();
}

void RecordingController::set_frame(const Frame& frame) {
  if (!recording_) return;
  Result<Frame> host = on_host(frame, nullptr);
  if (!host) {
    log::warn("{}", host.error().message);
    return;
  }
  options_.statistics->host_bytes_copied += host->bytes_copied - frame.bytes_copied;
  frame_ = *std::move(host);
}

bool RecordingController::update_options(const render::FrameOptions& shown,
                                         const render::TextLayer& subtitles, const PictureText::Setup& text) {
  if (!recording_) return false;
  text_->configure(text);
  OsdState recorded = options_.osd->state();
  recorded.recording_seconds.reset();
  recorded.split.reset();
  std::erase_if(recorded.messages, [](const OsdMessage& message) { return message.topic == RecordingTopic; });
  render::FrameOptions options = shown;
  text_->show(subtitles, lay_out_osd(recorded, text_->osd_grid()), options);
  if (options == frame_options_) return false;
  frame_options_ = std::move(options);
  return true;
}

void RecordingController::record(const Playback& playback, std::optional<double> media_seconds) {
  if (!recording_ || !frame_) return;
  const std::optional<Playback::Played> played = playback.played(std::chrono::steady_clock::now());
  if (!played) return;
  recording_->push_frame({.frame = *frame_,
                          .segment = {input_, played->epoch},
                          .media_seconds = media_seconds.value_or(played->media_seconds),
                          .rate = played->rate,
                          .setup = setup_,
                          .options = frame_options_});
}

std::optional<QueueFacts> RecordingController::queue() const {
  if (!recording_) return std::nullopt;
  return QueueFacts{recording_->waiting(), recording_->max_waiting()};
}

void RecordingController::report_ended() {
  if (recording_) {
    // end() was not called for this recording, so an outcome means that the recording has failed.
    if (std::optional<Result<LiveRecording::Outcome>> outcome = recording_->take_outcome()) {
      report(*outcome);
      end();
    }
  }
  std::erase_if(ending_, [this](const std::unique_ptr<LiveRecording>& recording) {
    const std::optional<Result<LiveRecording::Outcome>> outcome = recording->take_outcome();
    if (outcome) report(*outcome);
    return outcome.has_value();
  });
}

void RecordingController::report(const Result<LiveRecording::Outcome>& outcome) {
  if (!outcome) {
    log::error("The recording stopped: {}", full_text(outcome.error()));
    options_.osd->show_error(outcome.error().message, RecordingTopic);
    return;
  }
  options_.statistics->frames.encoded += outcome->frames;
  if (outcome->frames == 0) {
    log::info("Nothing was played while recording, so {} was not written.", outcome->path);
    options_.osd->show_message(RecordingTopic, "Nothing was played while recording, so no file was written.");
    return;
  }
  std::error_code problem;
  const std::uintmax_t bytes = std::filesystem::file_size(outcome->path, problem);
  std::string text =
      fmt::format("Saved {} ({}, {})", outcome->path, clock_text(outcome->seconds, outcome->seconds),
                  bytes_text(problem ? 0 : bytes));
  log::info("{}", text);
  if (outcome->dropped > 0) {
    const std::string missing =
        fmt::format("{} frame{} missing because encoding was too slow; {} is faster", outcome->dropped,
                    outcome->dropped == 1 ? " is" : "s are",
                    outcome->encoder == "libx264" ? "a smaller window" : "--codec libx264");
    log::info("{}", missing);
    text += '\n' + missing;
  }
  options_.osd->show_message(RecordingTopic, text);
}

}  // namespace glyphreel::player
