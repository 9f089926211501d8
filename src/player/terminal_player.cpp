#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "player/decode_thread.h"
#include "player/keys.h"
#include "player/live_settings.h"
#include "player/pacing.h"
#include "player/play.h"
#include "player/presentation_clock.h"
#include "player/setup.h"
#include "player/statistics.h"
#include "present/terminal.h"

namespace glyphreel::player {
namespace {

using Clock = std::chrono::steady_clock;
using present::Terminal;
using present::TerminalColors;

constexpr double IdleWaitSeconds = 0.05;
constexpr double WaitForLineSeconds = 0.02;
constexpr CellSize TerminalCell{8, 16};  // a terminal does not tell its cell's size; most are near 1:2

TerminalColors::Palette palette_of(cli::ColorChoice color) {
  return color == cli::ColorChoice::Ansi16    ? TerminalColors::Palette::Ansi16
         : color == cli::ColorChoice::Ansi256 ? TerminalColors::Palette::Ansi256
                                              : TerminalColors::Palette::None;
}

/// One input played in a terminal that may have shown others before.
class TerminalPlayer {
 public:
  TerminalPlayer(const cli::Settings& settings, Terminal& terminal, render::Renderer& renderer,
                 LiveSettings& live, Statistics& statistics)
      : settings_(settings), terminal_(terminal), renderer_(renderer), live_(live), statistics_(statistics) {}

  enum class End { InputEnded, Quit };

  Result<End> play(media::Source& source) {
    DecodeThread decoder({.source = &source,
                          .loop = settings_.loop_file,
                          .loop_from_seconds = settings_.start_seconds.value_or(0),
                          .on_frame = [this] { terminal_.wake(); }});
    clock_.resume(Clock::now());
    double wait = 0;
    while (!interrupted()) {
      TRY_ASSIGN(const std::vector<present::TerminalEvent> events, terminal_.wait_events(wait));
      for (const present::TerminalEvent& event : events) {
        if (const auto* key = std::get_if<present::TerminalKey>(&event)) {
          if (!press(action_of(key->name))) return End::Quit;
        } else if (std::holds_alternative<present::TerminalResumed>(event)) {
          epoch_.reset();
        }
        if (!std::holds_alternative<present::TerminalMouse>(event)) stale_ = true;
      }
      if (live_.poll()) grid_.reset();
      TRY(configure());
      if (stale_ && last_ && terminal_.can_take_frame()) TRY(draw());
      decoder.fetch();
      wait = IdleWaitSeconds;
      if (decoder.finished()) {
        if (decoder.error()) return *decoder.error();
        return End::InputEnded;
      }
      if (decoder.waiting().empty() || !clock_.running()) continue;
      TRY_ASSIGN(wait, show_due(decoder.waiting()));
      if (settings_.frames && statistics_.presented >= *settings_.frames) return End::InputEnded;
    }
    return End::Quit;
  }

 private:
  /// False: the user wants to leave.
  bool press(KeyAction action) {
    if (action == KeyAction::Quit) return false;
    if (action == KeyAction::Pause) {
      clock_.running() ? clock_.pause(Clock::now()) : clock_.resume(Clock::now());
    } else if (live_.press(action, std::nullopt) == Change::Tone && grid_) {
      renderer_.adjust(live_.adjustments());
      stale_ = true;
    }
    return true;
  }

  /// Sets the renderer up for the terminal's size and the glyphs that are there, unless it is.
  Result<void> configure() {
    const GridSize size = settings_.grid.value_or(terminal_.size());
    if (grid_ && *grid_ == size) return {};
    terminal_.redraw();
    TRY(renderer_.configure(live_.setup(size)));
    terminal_.use_palette(palette_of(live_.glyphs().settings.color));
    grid_ = size;
    stale_ = true;
    return {};
  }

  /// Shows the frame whose time has come, if there is one; seconds until the next look.
  Result<double> show_due(std::deque<Frame>& waiting) {
    if (!epoch_ || waiting.front().epoch != *epoch_) {
      epoch_ = waiting.front().epoch;
      clock_.anchor(waiting.front().pts_seconds(), Clock::now());
    }
    std::vector<double> due;
    for (const Frame& frame : waiting) {
      if (frame.epoch != *epoch_) break;
      due.push_back(frame.pts_seconds());
    }
    const PacingDecision decision = decide(clock_.seconds(Clock::now()), due);
    statistics_.dropped += decision.drop;
    statistics_.decoded += decision.drop;
    waiting.erase(waiting.begin(), waiting.begin() + decision.drop);
    if (!decision.show) return std::min(decision.wait_seconds, IdleWaitSeconds);
    // A line that is busy delays a frame; the next one that is due drops it.
    if (!terminal_.can_take_frame()) return WaitForLineSeconds;
    last_ = std::move(waiting.front());
    waiting.pop_front();
    TRY(draw());
    ++statistics_.decoded;
    statistics_.note_frame_shown();
    ++statistics_.mapped;
    ++statistics_.presented;
    return 0.0;
  }

  Result<void> draw() {
    TRY(renderer_.submit(*last_));
    TRY_ASSIGN(const render::RenderedFrame frame, renderer_.collect());
    stale_ = false;
    return terminal_.show(frame, *live_.glyphs().glyphs);
  }

  const cli::Settings& settings_;
  Terminal& terminal_;
  render::Renderer& renderer_;
  LiveSettings& live_;
  Statistics& statistics_;
  PresentationClock clock_;
  std::optional<GridSize> grid_;  ///< that the renderer is set up for
  std::optional<std::uint32_t> epoch_;
  std::optional<Frame> last_;  ///< shown
  bool stale_ = false;         ///< what is shown of last_ is not what settings and terminal are now
};

}  // namespace

Result<PlayEnd> play_in_terminal(const cli::Settings& settings) {
  StageTimes times;
  Statistics statistics;
  std::string title;
  const auto start = Clock::now();
  std::unique_ptr<Terminal> terminal;
  std::unique_ptr<LiveSettings> live;  // destroyed before the terminal that its thread wakes
  const std::unique_ptr<render::Renderer> renderer = render::make_cpu_renderer(settings.threads, times);
  statistics.renderer = renderer->description();
  for (const std::string& url : settings.inputs) {
    TRY_ASSIGN(std::unique_ptr<media::Source> source, open_input(settings, {.url = url, .times = &times}));
    statistics.input = source->facts();
    statistics.input_url = url;
    title = fmt::format("{} - glyphreel", url.substr(url.find_last_of('/') + 1));
    if (!terminal) {
      // The glyphs first: what is wrong with them is told on the screen as it was.
      TRY_ASSIGN(live, LiveSettings::make({.asked = settings,
                                           .cell_for = [](const cli::Settings&) { return TerminalCell; },
                                           .on_loaded = [&terminal] { terminal->wake(); },
                                           .announce =
                                               [&terminal, &title](const std::string& message) {
                                                 terminal->set_title(fmt::format("{} - {}", title, message));
                                               }}));
      Result<std::unique_ptr<Terminal>> opened = Terminal::open({});
      if (!opened) return PlayEnd::NoDisplay;
      terminal = *std::move(opened);
    }
    TerminalPlayer player(settings, *terminal, *renderer, *live, statistics);
    TRY_ASSIGN(const TerminalPlayer::End end, player.play(*source));
    if (end == TerminalPlayer::End::Quit) break;
  }
  const cli::Settings left = live ? live->wanted() : settings;
  live.reset();
  terminal.reset();
  statistics.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  TRY(write_statistics(statistics, left, times));
  return PlayEnd::Finished;
}

}  // namespace glyphreel::player
