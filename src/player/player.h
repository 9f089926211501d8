#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/settings.h"
#include "player/control/bindings.h"
#include "player/ipc/remote_control.h"
#include "player/osd/osd_controller.h"
#include "player/playback/playback.h"
#include "player/playlist/playlist.h"
#include "player/recording/recording_controller.h"
#include "player/subtitles/subtitle_display.h"
#include "player/video_presenter.h"
#include "session/statistics.h"

namespace glyphreel::player {

/// Plays inputs one after another on a video output. Handles keys, and shows text over the video. A key runs
/// commands, which change the state of the members below. Each iteration of the player's loop then shows the
/// frame and the text that are due.
/// Thread-safety: one thread.
class Player {
 public:
  using MakeOutput = std::function<Result<std::unique_ptr<VideoOutput>>(const cli::Settings&, StageTimes&,
                                                                        session::Statistics&, GpuUse)>;
  /// `settings` must outlive the player. `make_output` creates the output; it returns NoDevice if there is no
  /// display or device.
  /// `ipc`: the socket of --input-ipc-server, which must outlive the player; null: no socket.
  Player(const cli::Settings& settings, MakeOutput make_output, Bindings bindings, const IpcSocket* ipc);
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Plays the inputs until all have been played or the user quits. Then writes the statistics. An input that
  /// cannot be played is reported and skipped. Errors: if nothing could be played, the reason; any error of
  /// the output; Usage if the charset, ramp or font is invalid.
  [[nodiscard]] Result<void> run();

 private:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;
  friend struct PlayerCommands;
  friend struct PlayerProperties;

  /// Why the current entry of the playlist stops.
  enum class StopReason {
    None,
    EndOfInput,    ///< the input has ended; the next entry follows
    EntryChanged,  ///< a command or dropped files selected a different entry
    Quit,
  };
  /// The loop that the user set: from B back to A, or over the whole file. A new input clears A and B.
  struct LoopPoints {
    std::optional<double> a, b;  ///< positions of A and B in seconds; empty: not set
    bool whole_file = false;     ///< loops the whole file, unless A and B are set
  };
  /// The playback position and the user's choices, which are saved before the current input is reopened and
  /// restored afterwards.
  struct ResumePoint {
    double seconds = 0;
    LoopPoints loop;
    int subtitles = 0;
    double subtitle_delay = 0;
  };

  // The loop over the playlist.
  [[nodiscard]] Result<void> play_playlist();
  [[nodiscard]] Result<void> play_entry(const PlaylistEntry& entry);
  [[nodiscard]] Result<void> restart_output(const Error& why);
  void send_end(const Error* error);
  void report_problems();

  // Opening an input.
  template <typename T>
  [[nodiscard]] Result<std::optional<Result<T>>> run_in_background(
      const std::string& name, std::function<Result<T>(const std::stop_token&)> call);
  [[nodiscard]] Result<void> expand_playlist();
  [[nodiscard]] Result<void> open(const PlaylistEntry& entry);
  [[nodiscard]] Result<std::optional<Result<std::unique_ptr<Playback>>>> open_playback(
      const PlaylistEntry& entry, std::uint32_t number);
  [[nodiscard]] Result<void> begin(const PlaylistEntry& entry);
  [[nodiscard]] std::string title_of(const PlaylistEntry& entry) const;
  [[nodiscard]] Result<void> show_while_opening();
  void close();
  void keep_previous_frame();
  [[nodiscard]] ResumePoint resume_point() const;
  void restore(const ResumePoint& point);
  void resume_saved_position(const PlaylistEntry& entry);
  void save_position(const PlaylistEntry& entry) const;
  void reopen_with_audio_track(int track);

  // Playing an input.
  [[nodiscard]] Result<void> play();
  using InputState = RemoteControl::InputState;
  [[nodiscard]] Result<void> handle_events(double wait_seconds, InputState state);
  void handle_while_playing(const UiEvent& event);
  void handle_while_opening(const UiEvent& event);
  void handle_window_event(const UiEvent& event);
  void handle_key(const std::string& key);
  void run_commands(const std::vector<Command>& commands);
  Result<void> run_command(const Command& command, OsdUse osd_use);
  void press_progress_bar();
  [[nodiscard]] Result<void> sync_output();
  [[nodiscard]] Result<double> show_step();
  void end_input(TimePoint now);
  [[nodiscard]] Result<bool> update_output(const Frame* due);
  [[nodiscard]] Result<bool> show(const Frame& frame);
  void count_presented();
  void report_notices();
  void sync_loop();
  void set_recording(bool on);

  // Text over the video.
  void update_osd(TimePoint now);
  void update_subtitles(TimePoint now);
  [[nodiscard]] StatisticsFacts statistics_facts() const;

  const cli::Settings& settings_;
  const Bindings bindings_;
  const TimePoint start_ = Clock::now();
  StageTimes times_;
  session::Statistics statistics_;

  OsdController osd_;
  VideoPresenter presenter_;
  RecordingController recording_;
  RemoteControl remote_;
  Playlist playlist_;
  StopReason stop_ = StopReason::None;
  bool is_last_seen_ = true;    ///< whether the last frame that was due has been displayed
  std::deque<UiEvent> events_;  ///< received but not handled yet
  /// Keys pressed while an input is being opened, and deferred until it is open.
  std::vector<UiEvent> deferred_events_;

  std::unique_ptr<Playback> playback_;  ///< of the current input
  SubtitleDisplay subtitles_;           ///< of the current input; destroyed before playback_
  PlaybackControls controls_;           ///< controls that the next input starts with
  LoopPoints loop_;
  int audio_track_ = 0;  ///< see media::SourceOptions
  /// Last frame of the previous input; shown while the next input is being opened.
  std::optional<Frame> previous_frame_;
  std::optional<ResumePoint> resume_point_;  ///< where to resume the input that played when the GPU was lost
  std::string reported_audio_error_;
};

}  // namespace glyphreel::player
