#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_annotations.h"
#include "cli/settings.h"
#include "media/bitmap_overlay.h"
#include "player/bindings.h"
#include "player/live_recording.h"
#include "player/live_settings.h"
#include "player/osd/osd.h"
#include "player/playback.h"
#include "player/playlist.h"
#include "player/screen.h"
#include "player/sound_tap.h"
#include "player/split_view.h"
#include "player/statistics.h"
#include "player/subtitle_choice.h"
#include "render/overlay_maker.h"

namespace glyphreel::player {

/// The player: inputs one after another on a screen, with keys, and text over the picture. Commands change
/// the state of its parts; each turn of its loop shows what is due. Thread-safety: one thread.
class Player {
 public:
  struct Options {
    const cli::Settings* settings = nullptr;
    /// Makes the screen. Errors: NoDevice where there is none.
    std::function<Result<std::unique_ptr<Screen>>()> make_screen;
    Bindings bindings;
    StageTimes* times = nullptr;
    Statistics* statistics = nullptr;
  };
  explicit Player(Options options);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Plays all inputs, or until the user quits; an input that cannot be played is told and passed over.
  /// Errors: where nothing could be played, why; the screen's; usage of glyphs.
  [[nodiscard]] Result<void> run();
  /// By the screen, see Screen::bytes_copied().
  [[nodiscard]] std::uint64_t bytes_copied() const { return screen_ ? screen_->bytes_copied() : 0; }
  /// The settings as the keys left them.
  [[nodiscard]] cli::Settings settings_now() const { return live_ ? live_->wanted() : settings_; }

 private:
  using Clock = std::chrono::steady_clock;
  using TimePoint = Clock::time_point;

  /// Where to go when an input has ended.
  enum class Next {
    Going,      ///< it has not
    Following,  ///< by itself: to what follows it
    Other,      ///< by a command: to what is current in the playlist now
    Quit,
  };

  [[nodiscard]] Result<void> play_all();
  [[nodiscard]] Result<Next> open(const PlaylistEntry& entry);
  [[nodiscard]] Result<void> make_screen();
  [[nodiscard]] Result<void> take_screen();
  void wake() EXCLUDES(screen_mutex_);
  [[nodiscard]] bool has_lost_its_gpu() const;
  [[nodiscard]] Result<void> renew_screen(const Error& why);
  void tell_problems();
  [[nodiscard]] Result<Next> play();
  [[nodiscard]] Result<Next> take_inputs(double wait_seconds);
  [[nodiscard]] Result<Next> take(const ScreenInput& input);
  [[nodiscard]] Result<double> show_turn();
  [[nodiscard]] Result<void> configure();
  [[nodiscard]] Result<bool> show(const Frame& frame);
  [[nodiscard]] bool update_overlay();

  // While an input is opened.
  template <typename T>
  [[nodiscard]] Result<std::optional<Result<T>>> attend(const std::string& name,
                                                        std::function<Result<T>(const std::stop_token&)> call,
                                                        Next& next);
  [[nodiscard]] Result<std::optional<Result<std::unique_ptr<Playback>>>> open_playback(
      const PlaylistEntry& entry, std::uint32_t number, Next& next);
  [[nodiscard]] Result<Next> expand_playlist();
  [[nodiscard]] Result<Next> take_inputs_while_opening();
  [[nodiscard]] bool works_while_opening(const Command& command) const;
  [[nodiscard]] Result<void> show_while_opening();
  void keep_frame_before();

  /// Where playing is, with what was chosen of this input: kept while the input is opened once more.
  struct Place {
    double seconds = 0;
    std::optional<double> loop_a, loop_b;
    int subtitles = 0;
    double subtitle_delay = 0;
  };
  [[nodiscard]] Place place() const;
  void return_to(const Place& place);

  // Commands.
  [[nodiscard]] Next execute(const Command& command);
  void seek(const Command& command);
  void change(const Command& command);
  void change_sound(const Command& command);
  void change_picture(const Command& command);
  void follow_picture(Change change);
  void follow_split();
  void press_on_bar(TimePoint now);
  void loop_a_b();
  void follow_loop();
  void seek_to_chapter(int step);
  void save_screenshot();
  void next_audio_track();
  void next_subtitles();
  void show_progress();
  void tell(const std::string& topic, const std::string& text, std::optional<double> fraction = std::nullopt);
  void tell_error(const std::string& text, const std::string& topic = {});

  // Recording.
  void set_recording(bool on);
  void end_recording();
  void finish_recordings();
  void follow_setup();
  void follow_recording(TimePoint now);
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
  const std::function<Result<std::unique_ptr<Screen>>()> make_screen_;
  const Bindings bindings_;
  StageTimes& times_;
  Statistics& statistics_;
  const TimePoint start_ = Clock::now();

  Playlist playlist_;
  std::string title_;
  std::mutex screen_mutex_;  ///< held where screen_ is set, and where another thread uses it
  std::unique_ptr<Screen> screen_;
  int lost_gpus_ = 0;
  std::optional<cli::Settings> kept_settings_;  ///< those that the keys had left when a GPU was lost
  std::optional<Place> kept_place_;             ///< the same of the input
  std::deque<ScreenInput> inputs_;              ///< that came and were not taken yet
  std::vector<ScreenInput> inputs_for_next_;    ///< that came while the next input was opened
  SoundTap sound_tap_;
  std::unique_ptr<LiveSettings> live_;
  std::unique_ptr<Playback> playback_;     ///< of the input that plays
  Next next_after_opening_ = Next::Going;  ///< where the user went while a command opened that input again
  std::optional<Frame> frame_before_;      ///< the last one of the input before, while the next is opened
  std::uint32_t input_number_ = 0;         ///< of that input: see Passage
  std::unique_ptr<SubtitleChoice> subtitles_;  ///< of that input; destroyed before it
  bool shows_subtitles_ = true;
  std::vector<SubtitleChoice::EventPtr> shown_subtitles_;  ///< that the subtitles' layer was laid out from
  std::unique_ptr<media::BitmapOverlay> bitmap_overlay_;
  PlaybackControls controls_;
  std::string told_sound_failure_;
  bool loops_file_ = false;
  int audio_track_ = 0;  ///< see media::SourceOptions
  std::optional<double> loop_a_, loop_b_;

  render::OverlayMaker overlay_maker_;
  std::shared_ptr<render::SplitRenderer> split_;  ///< null until it was first asked for; then kept
  std::unique_ptr<SplitMaker> split_maker_;       ///< while it is made
  bool wants_split_ = false;
  OsdState osd_;
  TimePoint next_statistics_{};  ///< when the statistics page takes its figures again
  TimePoint next_split_{};       ///< the same of the split view's heading
  enum Layer { SubtitleLayer, OsdLayer, LayerCount };
  std::array<render::TextLayer, LayerCount> layers_;  ///< of text over the picture, the last on top
  std::shared_ptr<const render::Overlay> overlay_;    ///< that the screen has
  bool dragging_ = false;                             ///< the progress bar

  std::unique_ptr<LiveRecording> recording_;                       ///< under way; null: none
  std::vector<std::unique_ptr<LiveRecording>> ending_recordings_;  ///< whose files are being completed
  std::uint64_t sound_cursor_ = 0;                        ///< what it has of the sound, see SoundTap::since()
  std::unique_ptr<render::OverlayMaker> recording_text_;  ///< these four are its own
  std::shared_ptr<const render::Overlay> recorded_overlay_;
  std::shared_ptr<const render::RenderSetup> recorded_setup_;
  std::optional<Frame> recorded_frame_;  ///< that is on the screen

  std::optional<GridSize> grid_;  ///< that the screen is set up for
  bool size_changed_ = false;
  bool lost_ = false;   ///< the picture has to be shown again
  bool stale_ = false;  ///< what is shown of the last frame is not what settings and screen are now
};

}  // namespace glyphreel::player
