#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "base/mutex.h"
#include "base/threads/background_call.h"
#include "cli/options/settings.h"
#include "player/control/live_settings.h"
#include "player/osd/osd_controller.h"
#include "player/output/split_view.h"
#include "player/output/video_output.h"
#include "render/overlay_builder.h"

namespace glyphreel::player {

/// Shows frames on a video output with the current settings: keeps its size, glyphs, effect, text and split
/// view up to date, and remembers what has to be drawn again.
///
/// The player's loop:
///   presenter.sync_split(frame), presenter.sync(), presenter.update_options();
///   presenter.show(next frame), or else
///   if (presenter.needs_render()) presenter.show(last frame), or else presenter.redraw_if_needed();
///
/// Thread-safety: the player's thread only, except wake().
class VideoPresenter {
 public:
  using MakeOutput = std::function<Result<std::unique_ptr<VideoOutput>>()>;

  /// `osd` is shown over the frames; both arguments outlive the presenter.
  VideoPresenter(const cli::Settings& settings, MakeOutput make_output, OsdController& osd);
  /// Leaks the output if its display is gone, see VideoOutput::is_lost().
  ~VideoPresenter();
  VideoPresenter(const VideoPresenter&) = delete;
  VideoPresenter& operator=(const VideoPresenter&) = delete;

  /// Creates the output. Errors: NoDevice.
  [[nodiscard]] Result<void> make_output() EXCLUDES(mutex_);
  [[nodiscard]] bool has_output() const { return output_ != nullptr; }
  /// Opens the output for its first input, and makes the glyphs; afterwards does nothing. Errors: the
  /// output's; Usage: charset, ramp, font.
  [[nodiscard]] Result<void> open_for(const media::VideoFacts& facts);
  [[nodiscard]] bool is_open() const { return live_ != nullptr; }
  /// Ends the wait of the output. May be called from any thread.
  void wake() EXCLUDES(mutex_);

  /// Whether an error has the cause that the GPU is lost, and restart() may help: a driver that fails often
  /// is reported.
  [[nodiscard]] bool can_restart() const;
  /// Replaces the output: with one on the same GPU, if it came back, or on what else can draw. open_for()
  /// must follow. Errors: `why`, if there is no other.
  [[nodiscard]] Result<void> restart(const Error& why);

  /// The output; only if has_output().
  [[nodiscard]] VideoOutput& output() const { return *output_; }
  /// The settings as keys change them; only if is_open().
  [[nodiscard]] const LiveSettings& live() const { return *live_; }
  /// Returns the settings as keys have changed them so far.
  [[nodiscard]] cli::Settings settings() const { return live_ ? live_->wanted() : initial_settings_; }
  /// Returns the grid that the output is set up for; empty: it is not.
  [[nodiscard]] const std::optional<GridSize>& grid() const { return grid_; }
  [[nodiscard]] bool is_visible() const { return output_->visibility() == Playback::Visibility::Visible; }
  [[nodiscard]] std::uint64_t bytes_copied() const { return output_ ? output_->bytes_copied() : 0; }

  /// Forgets the last input, whose levels and stability the mapping keeps. sync() must follow.
  [[nodiscard]] Result<void> begin_input();
  void note_resized() { is_resized_ = true; }
  /// Sets the output up for its size and the glyphs that are ready. Returns whether that changed its setup.
  [[nodiscard]] Result<bool> sync();

  /// Applies a key's change of a picture setting.
  void apply_step(const PictureStep& step);
  void set_property(PictureProperty property, const std::string& value) { live_->set(property, value); }

  void request_split(bool is_wanted) { split_.is_wanted = is_wanted; }
  [[nodiscard]] bool wants_split() const { return split_.is_wanted; }
  /// Returns the two renderers side by side; null: there is one.
  [[nodiscard]] const render::SplitRenderer* split() const { return output_->split(); }
  /// Switches to what is wanted, GPU and CPU side by side or one of them, once that is possible. `frame`:
  /// what is shown, to prepare for it; may be null. sync() must follow.
  void sync_split(const Frame* frame);

  void set_subtitles(render::TextLayer text) { layers_[SubtitleLayer] = std::move(text); }
  [[nodiscard]] const render::TextLayer& subtitles() const { return layers_[SubtitleLayer]; }
  /// Updates how frames are drawn: the settings that keys have changed, and the OSD over the subtitles.
  void update_options();
  [[nodiscard]] const render::FrameOptions& options() const { return options_; }

  /// What was drawn is lost.
  void request_redraw() { needs_redraw_ = true; }
  /// The last frame has other pixels.
  void request_render() { needs_render_ = true; }
  /// Returns whether the last frame must be mapped again, for its pixels, its adjustments or a new setup.
  [[nodiscard]] bool needs_render() const {
    return needs_render_ || options_.adjustments != shown_options_.adjustments;
  }
  /// Shows a frame; returns false if it could not be seen.
  [[nodiscard]] Result<bool> show(const Frame& frame);
  /// Redraws the last frame, without mapping it, if text, effect or window need it and it can be seen.
  [[nodiscard]] Result<void> redraw_if_needed();

  /// Saves the frame as it is shown, see save_screenshot_files(). Needs a grid.
  [[nodiscard]] Result<std::string> save_screenshot(const Frame& frame);

 private:
  enum Layer { SubtitleLayer, OsdLayer, LayerCount };
  struct Split {
    bool is_wanted = false;
    std::shared_ptr<render::SplitRenderer> renderer;  ///< null until first wanted; then kept
    std::unique_ptr<BackgroundCall<std::shared_ptr<render::SplitRenderer>>> call;  ///< while it is being made
  };
  [[nodiscard]] Result<void> configure();
  void start_split(const Frame* frame);
  void refuse_split(const Error& error);

  cli::Settings initial_settings_;  ///< to start with
  const MakeOutput make_output_;
  OsdController& osd_;

  Mutex mutex_;  ///< held to set output_, and to use it on another thread
  std::unique_ptr<VideoOutput> output_;
  int restarts_ = 0;
  std::unique_ptr<LiveSettings> live_;  ///< null: the output is not open
  std::optional<GridSize> grid_;
  Split split_;

  render::OverlayBuilder overlay_builder_;
  std::array<render::TextLayer, LayerCount> layers_;  ///< text over the picture, the last on top
  render::FrameOptions options_;
  render::FrameOptions shown_options_;  ///< that the frame on the output was drawn with

  bool is_resized_ = false;
  bool needs_redraw_ = false;
  bool needs_render_ = false;
};

}  // namespace glyphreel::player
