#include <algorithm>
#include <optional>
#include <utility>

#include "base/interrupt.h"
#include "mapping/sample_plan.h"
#include "player/decode_thread.h"
#include "player/pacing.h"
#include "player/play.h"
#include "player/presentation_clock.h"
#include "player/setup.h"
#include "player/statistics.h"
#include "present/terminal.h"

namespace glyphreel::player {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double IdleWaitSeconds = 0.05;
constexpr CellSize TerminalCell{8, 16};  // a terminal does not tell its cell's size; most are near 1:2

/// Plays one input; false: the user quit.
Result<bool> play_one(const cli::Settings& settings, media::Source& source, present::Terminal& terminal,
                      render::Renderer& renderer, Statistics& statistics) {
  cli::Settings cell_settings = settings;
  cell_settings.cell = TerminalCell;
  TRY_ASSIGN(const std::shared_ptr<const text::GlyphSet> glyphs, make_glyphs(cell_settings, TerminalCell));
  DecodeThread decoder({.source = &source,
                        .loop = settings.loop_file,
                        .loop_from_seconds = settings.start_seconds.value_or(0),
                        .on_frame = {}});
  PresentationClock clock;
  clock.resume(Clock::now());
  std::optional<GridSize> grid;
  std::optional<std::uint32_t> epoch;
  double wait = 0;
  while (!interrupted()) {
    for (const std::string& key : terminal.wait_keys(wait)) {
      if (key == "q") return false;
      if (key == "SPACE" || key == "p") {
        clock.running() ? clock.pause(Clock::now()) : clock.resume(Clock::now());
      }
    }
    const GridSize size = settings.grid.value_or(terminal.size());
    if (!grid || *grid != size) {
      grid = size;
      terminal.clear();
      TRY(renderer.configure({.grid = size,
                              .fit = settings.fit,
                              .glyphs = glyphs,
                              .mapping = mapping_parameters(settings)}));
    }
    decoder.fetch();
    std::deque<Frame>& waiting = decoder.waiting();
    wait = IdleWaitSeconds;
    if (decoder.finished()) {
      if (decoder.error()) return *decoder.error();
      return true;
    }
    if (waiting.empty() || !clock.running()) {
      wait = clock.running() ? 0.002 : IdleWaitSeconds;
      continue;
    }
    if (!epoch || waiting.front().epoch != *epoch) {
      epoch = waiting.front().epoch;
      clock.anchor(waiting.front().pts_seconds(), Clock::now());
    }
    std::vector<double> due;
    for (const Frame& frame : waiting) {
      if (frame.epoch != *epoch) break;
      due.push_back(frame.pts_seconds());
    }
    const PacingDecision decision = decide(clock.seconds(Clock::now()), due);
    statistics.dropped += decision.drop;
    statistics.decoded += decision.drop;
    waiting.erase(waiting.begin(), waiting.begin() + decision.drop);
    if (!decision.show) {
      wait = std::min(decision.wait_seconds, IdleWaitSeconds);
      continue;
    }
    TRY(renderer.submit(waiting.front()));
    waiting.pop_front();
    TRY_ASSIGN(const render::RenderedFrame frame, renderer.collect());
    TRY(terminal.write(present::terminal_frame(frame, *glyphs)));
    statistics.note_frame_shown();
    ++statistics.decoded;
    ++statistics.mapped;
    ++statistics.presented;
    wait = 0;
    if (settings.frames && statistics.presented >= *settings.frames) return true;
  }
  return false;
}

}  // namespace

Result<PlayEnd> play_in_terminal(const cli::Settings& settings) {
  StageTimes times;
  Statistics statistics;
  const auto start = Clock::now();
  std::unique_ptr<present::Terminal> terminal;
  const std::unique_ptr<render::Renderer> renderer = render::make_cpu_renderer(settings.threads, times);
  statistics.renderer = renderer->description();
  for (const std::string& url : settings.inputs) {
    TRY_ASSIGN(std::unique_ptr<media::Source> source, open_input(settings, {.url = url, .times = &times}));
    statistics.input = source->facts();
    statistics.input_url = url;
    if (!terminal) {
      Result<std::unique_ptr<present::Terminal>> opened = present::Terminal::open();
      if (!opened) return PlayEnd::NoDisplay;
      terminal = *std::move(opened);
    }
    TRY_ASSIGN(const bool going, play_one(settings, *source, *terminal, *renderer, statistics));
    if (!going) break;
  }
  terminal.reset();
  statistics.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  TRY(write_statistics(statistics, settings, times));
  return PlayEnd::Finished;
}

}  // namespace glyphreel::player
