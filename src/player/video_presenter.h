#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/frame.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/threads/background_call.h"
#include "cli/options/settings.h"
#include "player/control/live_settings.h"
#include "player/control/wipe_line.h"
#include "player/osd/osd_controller.h"
#include "player/osd/picture_text.h"
#include "player/output/split_view.h"
#include "player/output/video_output.h"
#include "player/recording/screenshot.h"

namespace glyphreel::player {

/// Shows frames on a video output with the current settings. Updates the output's size, glyphs, effect, text
/// and split view, and tracks whether the last frame must be redrawn, or mapped to characters again.
///
/// The player's loop:
///   presenter.sync_split(frame), presenter.sync(), presenter.update_options();
///   if (a new frame is due) presenter.show(new frame);
///   else if (presenter.needs_render()) presenter.show(last frame);
///   else presenter.redraw_if_needed();
///
/// Thread-safety: the player's thread only, except wake().
class VideoPresenter {
 public:
  using MakeOutput = std::function<Result<std::unique_ptr<VideoOutput>>(GpuUse)>;

  /// `osd` is shown over the frames. `settings` and `osd` must outlive the presenter.
  VideoPresenter(const cli::Settings& settings, MakeOutput make_output, OsdController& osd);
  ~VideoPresenter();
  VideoPresenter(const VideoPresenter&) = delete;
  VideoPresenter& operator=(const VideoPresenter&) = delete;

  /// Creates the output. Errors: NoDevice if no output is available.
  [[nodiscard]] Result<void> make_output() EXCLUDES(mutex_);
  [[nodiscard]] bool has_output() const { return output_ != nullptr; }
  /// Makes the first glyphs, for the size that the output will have. Call it after make_output(). Errors:
  /// Usage if the charset, ramp or font is invalid.
  [[nodiscard]] Result<void> make_glyphs();
  [[nodiscard]] bool has_glyphs() const { return live_ != nullptr; }
  /// Opens the output for its first input; makes the glyphs if they are missing. Does nothing if the output
  /// is already open. Errors: those of the output and of make_glyphs().
  [[nodiscard]] Result<void> open_for(const media::VideoFacts& facts) EXCLUDES(mutex_);
  [[nodiscard]] bool is_open() const { return is_open_; }
  /// Ends VideoOutput::wait(). May be called from any thread.
  void wake() EXCLUDES(mutex_);

  /// Whether the GPU was lost and restart() may help. False after three restarts, or if the connection to
  /// the display was lost.
  [[nodiscard]] bool can_restart() const;
  /// Replaces the output with a new output. The new output uses the same GPU if that GPU is available again,
  /// else a different device. After a GPU hang, the new output avoids the GPU if possible (see GpuUse).
  /// open_for() must follow. Errors: `why` if the output cannot be replaced.
  [[nodiscard]] Result<void> restart(const Error& why);

  /// Returns the output; call it only if has_output().
  [[nodiscard]] VideoOutput& output() const { return *output_; }
  /// Returns the settings that the user can change during playback; call it only if is_open().
  [[nodiscard]] const LiveSettings& live() const { return *live_; }
  /// Returns the settings, including all changes that keys have made so far.
  [[nodiscard]] cli::Settings settings() const { return live_ ? live_->wanted() : initial_settings_; }
  /// Returns the grid that the output is set up for; empty if it is not set up.
  [[nodiscard]] const std::optional<GridSize>& grid() const { return grid_; }
  [[nodiscard]] bool is_visible() const { return output_->visibility() == Playback::Visibility::Visible; }
  [[nodiscard]] std::uint64_t bytes_copied() const { return output_ ? output_->bytes_copied() : 0; }

  /// Resets the state of the mapping (levels and temporal stability) for a new input. sync() must follow.
  [[nodiscard]] Result<void> begin_input();
  void note_resized() { is_resized_ = true; }
  /// Sets up the output if its size has changed or new glyphs are ready. Returns whether it was set up again.
  [[nodiscard]] Result<bool> sync();

  /// Applies a command's step to a picture setting.
  void apply_step(const PictureStep& step);
  /// See LiveSettings::set().
  [[nodiscard]] Result<void> set_property(PictureProperty property, const std::string& value) {
    return live_->set(property, value);
  }

  [[nodiscard]] WipeLine& wipe() { return wipe_; }
  [[nodiscard]] const WipeLine& wipe() const { return wipe_; }
  /// Switches the wipe on or off. Errors when switching it on: Usage if the split view is on or requested, or
  /// if the output does not show pixels.
  [[nodiscard]] Result<void> set_wipe(bool is_on);
  /// See WipeLine::move_mouse().
  void move_mouse(std::optional<MousePosition> position);
  /// See WipeLine::press().
  bool press_wipe();

  void request_split(bool is_wanted) { split_.is_wanted = is_wanted; }
  [[nodiscard]] bool wants_split() const { return split_.is_wanted; }
  /// Returns the split view's renderers while they draw the frames; null while the output's own renderer
  /// draws the frames.
  [[nodiscard]] const render::SplitRenderer* split() const { return output_->split(); }
  /// Switches the split view on or off as requested, as soon as its renderers are ready. `frame`: the current
  /// frame; may be null. The new renderers draw `frame` once, so that all shaders are compiled before the
  /// split view is shown. sync() must follow.
  void sync_split(const Frame* frame);

  void set_subtitles(render::TextLayer text) { subtitles_ = std::move(text); }
  [[nodiscard]] const render::TextLayer& subtitles() const { return subtitles_; }
  /// Provides the grids that the text is laid out on. The grids are valid if grid() is not empty.
  [[nodiscard]] const PictureText& text() const { return text_; }
  void set_text_scale(TextScale scale);
  [[nodiscard]] TextScale text_scale() const { return text_scale_; }
  /// Updates options(): applies the settings that keys have changed, and builds the overlay from subtitles
  /// and OSD.
  void update_options();
  [[nodiscard]] const render::FrameOptions& options() const { return options_; }

  /// Requests a redraw, because the output's content was lost.
  void request_redraw() { needs_redraw_ = true; }
  /// Requests that the last frame be mapped again, because its pixels have changed.
  void request_render() { needs_render_ = true; }
  /// Returns whether the last frame must be mapped again, because its pixels, the adjustments or the setup
  /// have changed, or because the wipe needs the source.
  [[nodiscard]] bool needs_render() const {
    return needs_render_ || options_.adjustments != shown_options_.adjustments ||
           (options_.wipe && !shown_options_.wipe);
  }
  /// Shows a frame. Returns false if it was not displayed, for example in a minimized window.
  [[nodiscard]] Result<bool> show(const Frame& frame);
  /// Redraws the last frame without mapping it, if text, effect or window have changed and the output is
  /// visible.
  [[nodiscard]] Result<void> redraw_if_needed();

  /// A function that saves or converts a screenshot, for example save_screenshot().
  using ScreenshotUse = Result<std::string> (*)(const Screenshot& shot);
  /// Calls `use` with the frame as it is shown, but without the overlay, and returns the result. Call this
  /// only if grid() is not empty.
  [[nodiscard]] Result<std::string> take_screenshot(const Frame& frame, ScreenshotUse use);
  void copy_to_clipboard(const std::string& text) { output_->copy_to_clipboard(text); }

 private:
  struct Split {
    bool is_wanted = false;
    std::shared_ptr<render::SplitRenderer> renderer;  ///< null until first used; kept until restart()
    /// Not null while the renderers are being made.
    std::unique_ptr<BackgroundCall<std::shared_ptr<render::SplitRenderer>>> call;
  };
  void remove_output() EXCLUDES(mutex_);
  [[nodiscard]] Result<void> configure();
  void configure_text();
  /// Whether the output shows pixels; false in a terminal.
  [[nodiscard]] bool draws_pixels() const;
  void start_split(const Frame* frame);
  void refuse_split(const Error& error);

  cli::Settings initial_settings_;  ///< settings of the command line; after restart(), the changed settings
  const MakeOutput make_output_;
  OsdController& osd_;

  Mutex mutex_;  ///< locked to set output_, and to use output_ on other threads
  std::unique_ptr<VideoOutput> output_;
  int restarts_ = 0;
  GpuUse gpu_use_ = GpuUse::Allowed;    ///< for the next output
  std::unique_ptr<LiveSettings> live_;  ///< null until make_glyphs()
  std::optional<GridSize> grid_;
  Split split_;
  WipeLine wipe_;

  PictureText text_;
  TextScale text_scale_;
  render::TextLayer subtitles_;  ///< laid out on text_.subtitle_grid()
  render::FrameOptions options_;
  render::FrameOptions shown_options_;  ///< options of the frame on the output

  bool is_open_ = false;
  bool is_resized_ = false;
  bool needs_redraw_ = false;
  bool needs_render_ = false;
};

}  // namespace glyphreel::player
