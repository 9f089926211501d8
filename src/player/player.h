#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "cli/settings.h"
#include "media/subtitle/bitmap_overlay.h"
#include "player/control/bindings.h"
#include "player/recording/live_recording.h"
#include "player/control/live_settings.h"
#include "player/osd/osd.h"
#include "player/playback/playback.h"
#include "player/playlist/playlist.h"
#include "player/output/video_output.h"
#include "player/recording/recent_audio.h"
#include "player/output/split_view.h"
#include "session/statistics.h"
#include "player/subtitles/subtitle_choice.h"
#include "render/overlay_builder.h"

namespace glyphreel::player {

/// The player: plays inputs one after another on a screen, with keys, and text over the picture. Commands
/// change the state of its parts; each iteration of its loop shows what is due. Thread-safety: one thread.
class Player {
 public:
  struct Options {
    const cli::Settings* settings = nullptr;
    /// Creates the screen. Errors: NoDevice if there is none.
    std::function<Result<std::unique_ptr<VideoOutput>>()> make_screen;
    Bindings bindings;
    StageTimes* times = nullptr;
    session::Statistics* statistics = nullptr;
  };
  explicit Player(Options options);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Plays all inputs, or until the user quits; an input that cannot be played is reported and skipped.
  /// Errors: if nothing could be played, the reason; the screen's; usage of glyphs.
  [[nodiscard]] Result<void> run();
  /// Returns the bytes copied by the screen, see VideoOutput::bytes_copied().
  [[nodiscard]] std::uint64_t bytes_copied() const { return screen_ ? screen_->bytes_copied() : 0; }
  /// Returns the settings as changed by keys.
  [[nodiscard]] cli::Settings settings_now() const { return live_ ? live_->wanted() : settings_; }

 private:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;

  /// What the loop does next.
  enum class LoopAction {
    Going,      ///< continue: the input has not ended
    Following,  ///< the input ended by itself: play what follows it
    Other,      ///< a command ended it: play what is current in the playlist
    Quit,
  };

  [[nodiscard]] Result<void> play_all();
  [[nodiscard]] Result<LoopAction> open(const PlaylistEntry& entry);
  [[nodiscard]] Result<void> make_screen();
  [[nodiscard]] Result<void> take_screen();
  void wake() EXCLUDES(screen_mutex_);
  [[nodiscard]] bool has_lost_its_gpu() const;
  [[nodiscard]] Result<void> renew_screen(const Error& why);
  void report_problems();
  [[nodiscard]] Result<LoopAction> play();
  [[nodiscard]] Result<LoopAction> take_inputs(double wait_seconds);
  [[nodiscard]] Result<LoopAction> take(const UiEvent& input);
  [[nodiscard]] Result<double> show_step();
  [[nodiscard]] Result<void> configure();
  [[nodiscard]] Result<bool> show(const Frame& frame);
  [[nodiscard]] bool update_overlay();

  // While an input is opened.
  template <typename T>
  [[nodiscard]] Result<std::optional<Result<T>>> attend(const std::string& name,
                                                        std::function<Result<T>(const std::stop_token&)> call,
                                                        LoopAction& next);
  [[nodiscard]] Result<std::optional<Result<std::unique_ptr<Playback>>>> open_playback(
      const PlaylistEntry& entry, std::uint32_t number, LoopAction& next);
  [[nodiscard]] Result<LoopAction> expand_playlist();
  [[nodiscard]] Result<LoopAction> take_inputs_while_opening();
  [[nodiscard]] Result<void> show_while_opening();
  void keep_frame_before();

  /// The current position, and what was chosen for this input: kept while the input is reopened.
  struct ResumePoint {
    double seconds = 0;
    std::optional<double> loop_a, loop_b;
    int subtitles = 0;
    double subtitle_delay = 0;
  };
  [[nodiscard]] ResumePoint resume_point() const;
  void restore(const ResumePoint& place);

  // Commands.
  struct Commands;
  friend std::span<const CommandSpec> command_table();
  [[nodiscard]] LoopAction execute(const Command& command);
  void sync_picture(Change change);
  void sync_split();
  void press_on_bar(TimePoint now);
  void loop_a_b();
  void sync_loop();
  void seek_to_chapter(int step);
  void save_screenshot();
  void next_audio_track();
  void next_subtitles();
  void show_progress();
  void show_message(const std::string& topic, const std::string& text,
                    std::optional<double> fraction = std::nullopt);
  void report_error(const std::string& text, const std::string& topic = {});

  // Recording.
  void set_recording(bool on);
  void end_recording();
  void finish_recordings();
  void sync_setup();
  void sync_recording(TimePoint now);
  void record(double media_seconds);
  void keep_for_recording(const Frame& frame);
  void record_again();
  [[nodiscard]] bool update_recorded_text();
  void tell_recordings();
  void tell_outcome(const Result<LiveRecording::Outcome>& outcome);

  void update_osd(TimePoint now);
  void update_subtitles(TimePoint now);
  [[nodiscard]] Frame with_bitmaps(const Frame& frame);
  void update_statistics_page(TimePoint now);
  void update_split(TimePoint now);
  [[nodiscard]] double osd_seconds(TimePoint now) const {
    return std::chrono::duration<double>(now - start_).count();
  }

  const cli::Settings& settings_;
  const std::function<Result<std::unique_ptr<VideoOutput>>()> make_screen_;
  const Bindings bindings_;
  StageTimes& times_;
  session::Statistics& statistics_;
  const TimePoint start_ = Clock::now();

  Playlist playlist_;
  std::string title_;
  std::mutex screen_mutex_;  ///< held to set screen_, and to use it on another thread
  std::unique_ptr<VideoOutput> screen_;
  int lost_gpus_ = 0;
  std::optional<cli::Settings> kept_settings_;  ///< as changed by keys when a GPU was lost
  std::optional<ResumePoint> resume_point_;     ///< of the input when a GPU was lost
  std::deque<UiEvent> inputs_;                  ///< received but not handled yet
  std::vector<UiEvent> inputs_for_next_;        ///< received while the next input was being opened
  RecentAudio sound_tap_;
  std::unique_ptr<LiveSettings> live_;
  std::unique_ptr<Playback> playback_;         ///< of the current input
  LoopAction next_ = LoopAction::Going;        ///< what a command asks of the loop
  std::optional<Frame> frame_before_;          ///< the previous input's last frame, while the next is opened
  std::uint32_t input_number_ = 0;             ///< of that input: see PlaybackSegment
  std::unique_ptr<SubtitleChoice> subtitles_;  ///< of that input; destroyed before it
  bool shows_subtitles_ = true;
  std::vector<SubtitleChoice::EventPtr> shown_subtitles_;  ///< from which the subtitle layer was laid out
  std::unique_ptr<media::BitmapOverlay> bitmap_overlay_;
  PlaybackControls controls_;
  std::string reported_audio_error_;
  bool loops_file_ = false;
  int audio_track_ = 0;  ///< see media::SourceOptions
  std::optional<double> loop_a_, loop_b_;

  render::OverlayBuilder overlay_maker_;
  std::shared_ptr<render::SplitRenderer> split_;      ///< null until first requested; then kept
  std::unique_ptr<SplitOverlayBuilder> split_maker_;  ///< while split_ is being made
  bool wants_split_ = false;
  OsdState osd_;
  TimePoint next_statistics_{};  ///< when the statistics page updates its figures
  TimePoint next_split_{};       ///< when the split view's heading updates its figures
  enum Layer { SubtitleLayer, OsdLayer, LayerCount };
  std::array<render::TextLayer, LayerCount> layers_;  ///< text over the picture, the last on top
  std::shared_ptr<const render::Overlay> overlay_;    ///< the one that the screen has
  bool dragging_ = false;                             ///< the progress bar

  std::unique_ptr<LiveRecording> recording_;                       ///< null: none is running
  std::vector<std::unique_ptr<LiveRecording>> ending_recordings_;  ///< whose files are being completed
  std::uint64_t sound_cursor_ = 0;                                 ///< in the sound, see RecentAudio::since()
  std::unique_ptr<render::OverlayBuilder> recording_text_;         ///< these four belong to the recording
  std::shared_ptr<const render::Overlay> recorded_overlay_;
  std::shared_ptr<const render::RenderSetup> recorded_setup_;
  std::optional<Frame> recorded_frame_;  ///< the frame that is on the screen

  std::optional<GridSize> grid_;  ///< the grid that the screen is set up for
  bool size_changed_ = false;
  bool needs_redraw_ = false;  ///< the picture has to be shown again
  bool needs_render_ = false;  ///< the shown picture no longer matches the settings and the screen
};

}  // namespace glyphreel::player
