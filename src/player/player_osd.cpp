// The part of Player that updates the on-screen display.

#include <algorithm>
#include <utility>

#include "cli/options/options.h"
#include "player/player.h"

namespace glyphreel::player {
namespace {

constexpr std::size_t PlottedFrames = 240;  // a few seconds
constexpr double HighQuantile = 0.99;

/// Returns the timing of a stage over its last frames; empty if the stage processed no frame.
std::optional<StageFacts> facts_of(Stage stage, const StageTimes& times, std::size_t frames) {
  StageFacts facts{.name = stage_name(stage), .engine = times.engine(stage)};
  facts.recent_ms = times.recent(stage, frames);
  if (facts.recent_ms.empty()) return std::nullopt;
  double sum = 0;
  for (const float milliseconds : facts.recent_ms) sum += milliseconds;
  facts.mean_ms = sum / static_cast<double>(facts.recent_ms.size());
  facts.p99_ms = quantile(facts.recent_ms, HighQuantile);
  return facts;
}

/// Returns the timing of each stage that was active in the last few seconds. For a split view, lists the
/// rendering stages separately for the left side, the right side, and the joined frame.
std::vector<StageFacts> stage_facts(const StageTimes& times, const render::SplitRenderer* split) {
  using Side = render::SplitRenderer::Side;
  const std::size_t split_frames =
      split != nullptr ? std::min(PlottedFrames, static_cast<std::size_t>(split->findings().frames)) : 0;
  std::vector<StageFacts> all;
  const auto add = [&](std::optional<StageFacts> facts) {
    if (facts) all.push_back(*std::move(facts));
  };
  for (std::size_t i = 0; i < StageCount; ++i) {
    const auto stage = static_cast<Stage>(i);
    if (split != nullptr && stage >= Stage::Import && stage <= Stage::Readback) {
      add(facts_of(stage, split->times(Side::Left), split_frames));
      add(facts_of(stage, split->times(Side::Right), split_frames));
      add(facts_of(stage, split->own_times(), split_frames));
    } else {
      add(facts_of(stage, times, PlottedFrames));
    }
  }
  return all;
}

}  // namespace

void Player::update_osd(TimePoint now) {
  osd_.set_now(now);
  OsdState& osd = osd_.state();
  PlaybackFacts& facts = osd.playback;
  facts.position_seconds = playback_->position(now);
  facts.paused = playback_->controls().paused;
  facts.buffering.reset();
  if (playback_->is_buffering()) {
    const media::ReadAhead ahead = playback_->read_ahead();
    facts.buffering = std::min(1.0, ahead.seconds);
    if (ahead.is_reconnecting) osd_.show_message("network", "The connection was lost; reconnecting.");
  }
  facts.speed = playback_->controls().speed;
  facts.loop_a_seconds = loop_.a;
  facts.loop_b_seconds = loop_.b;
  if (!osd_.stats_refresh_due(now)) return;
  const render::SplitRenderer* split = presenter_.split();
  osd.split.reset();
  if (split != nullptr && split->findings().frames > 0) osd.split = split_facts(*split);
  if (osd.page == OsdPage::Statistics) osd.statistics = statistics_facts();
  if (osd.split || osd.page == OsdPage::Statistics) osd_.mark_stats_refreshed(now);
}

void Player::update_subtitles(TimePoint now) {
  const bool has_frame = playback_->last_frame() != nullptr;
  std::optional<SubtitleDisplay::Change> change =
      subtitles_.update(has_frame ? std::optional(playback_->position(now)) : std::nullopt,
                        presenter_.grid() ? std::optional(presenter_.text().subtitle_grid()) : std::nullopt);
  if (!change) return;
  if (change->has_bitmap) presenter_.request_render();
  presenter_.set_subtitles(std::move(change->text));
}

StatisticsFacts Player::statistics_facts() const {
  const media::VideoFacts& input = playback_->facts();
  const LoadedGlyphs& glyphs = presenter_.live().glyphs();
  StatisticsFacts facts{
      .input = osd_.state().playback.title,
      .codec = input.codec,
      .size = input.size,
      .input_fps = input.frame_rate.value(),
      .pixel_format = input.pixel_format,
      .audio = playback_->audio() != nullptr ? playback_->audio()->description() : "",
      .grid = presenter_.grid().value_or(GridSize{}),
      .cell = presenter_.output().shown_cell(presenter_.live().cell()).value_or(CellSize{0, 0}),
      .charset = glyphs.settings.glyphs.charset,
      .mode = std::string(mode_name(glyphs.settings.glyphs.mode)),
      .color_mode = std::string(cli::color_name(glyphs.settings.picture.color)),
      .font = glyphs.settings.layout.font,
      .stages = stage_facts(times_, presenter_.split()),
      .shown_fps = session::frames_per_second(statistics_),
      .dropped = statistics_.frames.dropped,
      .repeated = statistics_.frames.repeated,
      .late = statistics_.frames.late,
      .av_offset_ms = playback_->av_offset_ms(),
      .display_latency_ms = statistics_.display_latency_ms,
      .jitter_ms = statistics_.pacing_errors_ms.recent(PlottedFrames),
      .av_offsets_ms = statistics_.av_offsets_ms.recent(PlottedFrames),
      .recording = recording_.queue(),
      .buffered_seconds = playback_->read_ahead().seconds,
      .memory_bytes = session::resident_bytes(),
  };
  if (statistics_.frames.decoded > 0) {
    facts.host_bytes_per_frame = (statistics_.host_bytes_copied + presenter_.bytes_copied()) /
                                 static_cast<std::uint64_t>(statistics_.frames.decoded);
  }
  return facts;
}

}  // namespace glyphreel::player
