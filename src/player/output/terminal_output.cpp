#include <unistd.h>

#include <utility>

#include "base/io/log.h"
#include "player/control/terminal_palette.h"
#include "player/output/video_output.h"
#include "present/graphics/graphics_encoder.h"
#include "present/terminal/terminal.h"
#include "session/setup.h"

namespace glyphreel::player {
namespace {

using present::Terminal;

// Assumed cell size in pixels if the terminal does not report one. In most terminals, a cell is about twice
// as high as it is wide.
constexpr CellSize TerminalCell{8, 16};

/// Writes each cell of a frame to a cell of the terminal.
class TerminalOutput : public VideoOutput {
 public:
  TerminalOutput(const cli::Settings& settings, std::unique_ptr<render::Renderer> renderer)
      : VideoOutput(*renderer), settings_(settings), own_(std::move(renderer)) {}

  Result<std::vector<UiEvent>> wait(double timeout_seconds) override {
    std::vector<UiEvent> inputs;
    TRY_ASSIGN(std::vector<present::TerminalEvent> events, terminal_->wait_events(timeout_seconds));
    for (present::TerminalEvent& event : events) {
      if (!std::holds_alternative<present::TerminalKey>(event) &&
          !std::holds_alternative<present::TerminalMouse>(event))
        lose_content();
      if (auto* key = std::get_if<present::TerminalKey>(&event)) {
        inputs.emplace_back(KeyInput{std::move(key->name)});
      } else if (const auto* mouse = std::get_if<present::TerminalMouse>(&event)) {
        add_mouse(*mouse, position_of(*mouse), inputs);
      } else if (std::holds_alternative<present::TerminalResized>(event)) {
        inputs.emplace_back(SizeChanged{});
      } else if (std::holds_alternative<present::TerminalExposed>(event)) {
        inputs.emplace_back(WindowExposed{});
      } else if (std::holds_alternative<present::TerminalResumed>(event)) {
        inputs.emplace_back(SizeChanged{});
        inputs.emplace_back(ProgramResumed{});
      }
    }
    return inputs;
  }
  void wake() override {
    if (terminal_) terminal_->wake();
  }

  ~TerminalOutput() override {
    terminal_.reset();
    log::set_stderr(log::Stderr::Shown);
  }

  Result<void> open_for(const media::VideoFacts&) override {
    TRY_ASSIGN(terminal_, Terminal::open(content()));
    lose_content();
    // Buffer log lines: in the terminal, they would overwrite rows of the frame.
    if (isatty(STDERR_FILENO) != 0) log::set_stderr(log::Stderr::Buffered);
    return {};
  }

  std::vector<text::CharacterRange> missing_characters() const override {
    return terminal_->missing_characters();
  }
  CellSize cell_for(const cli::Settings&) const override { return TerminalCell; }
  std::optional<CellSize> shown_cell(CellSize) const override { return std::nullopt; }
  GridSize grid_for(const LoadedGlyphs&) const override {
    return settings_.layout.grid.value_or(terminal_ ? terminal_->size() : GridSize{80, 24});
  }
  Result<void> sync_size() override { return {}; }
  Result<void> configure(const LoadedGlyphs& glyphs, const render::RenderSetup& setup,
                         const std::shared_ptr<render::SplitRenderer>& split) override {
    if (split) split_ = split;
    draw_with(split.get());
    glyphs_ = setup.glyphs;
    terminal_->use_palette(terminal_palette(glyphs.settings.picture.color));
    last_ = {};
    return configure_renderer(setup);
  }

  Playback::Visibility visibility() override {
    return terminal_->can_take_frame() ? Playback::Visibility::Visible : Playback::Visibility::Pending;
  }
  Result<bool> show(const Frame* frame, const render::FrameOptions& options) override {
    TRY_ASSIGN(last_, frame != nullptr ? renderer().render(*frame, options) : renderer().redraw(options));
    TRY(send(last_));
    return true;
  }

  std::shared_ptr<gpu::Device> device() const override { return nullptr; }

  void set_title(const std::string& title) override {
    if (terminal_) terminal_->set_title(title);
  }
  void copy_to_clipboard(const std::string& text) override { terminal_->copy_to_clipboard(text); }
  void set_fullscreen(bool) override {}
  bool is_fullscreen() const override { return true; }

 protected:
  [[nodiscard]] const cli::Settings& settings() const { return settings_; }
  [[nodiscard]] Terminal* terminal() const { return terminal_.get(); }  ///< null before open_for()
  [[nodiscard]] virtual Terminal::Content content() const { return Terminal::Content::Cells; }
  /// Called when the terminal has lost its content, or when its size has changed.
  virtual void lose_content() {}
  [[nodiscard]] virtual Result<void> configure_renderer(const render::RenderSetup& setup) {
    return renderer().configure(setup);
  }
  [[nodiscard]] virtual Result<void> send(const render::RenderedFrame& frame) {
    return terminal_->show(frame, *glyphs_);
  }
  /// Returns the center of the terminal cell under the mouse, in cells of the drawn frame.
  [[nodiscard]] virtual MousePosition position_of(const present::TerminalMouse& mouse) const {
    return {mouse.column + 0.5, mouse.row + 0.5};
  }

 private:
  static void add_mouse(const present::TerminalMouse& mouse, MousePosition position,
                        std::vector<UiEvent>& inputs) {
    using Action = present::TerminalMouse::Action;
    inputs.emplace_back(MouseInput{position});
    if (mouse.action == Action::Press) {
      inputs.emplace_back(KeyInput{mouse.button});
    } else if (mouse.action == Action::Release) {
      inputs.emplace_back(MouseRelease{});
    }
  }

  const cli::Settings& settings_;
  const std::unique_ptr<render::Renderer> own_;
  std::shared_ptr<render::SplitRenderer> split_;  ///< null until first used
  std::unique_ptr<Terminal> terminal_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  render::RenderedFrame last_;  ///< the last frame passed to send(); keeps the frame's memory valid
};

/// Draws each frame's glyphs to an image, and sends the image to the terminal.
class GraphicsOutput final : public TerminalOutput {
 public:
  GraphicsOutput(const cli::Settings& settings, const present::GraphicsSupport& support,
                 std::unique_ptr<render::Renderer> renderer)
      : TerminalOutput(settings, std::move(renderer)),
        reported_cell_(support.cell),
        encoder_(present::make_graphics_encoder(settings.window.terminal_graphics, support)) {}

  CellSize cell_for(const cli::Settings& wanted) const override {
    return terminal() ? session::window_layout(wanted, encoder_->area(), 1).cell : wanted.layout.cell;
  }
  std::optional<CellSize> shown_cell(CellSize cell) const override { return cell; }
  GridSize grid_for(const LoadedGlyphs& glyphs) const override {
    return session::window_grid(glyphs.settings, encoder_->area(), glyphs.setup.glyphs->cell());
  }

 private:
  Terminal::Content content() const override { return Terminal::Content::Pictures; }
  void lose_content() override {
    screen_ = {.grid = terminal()->size(), .cell = reported_cell_};
    const Extent pixels = terminal()->pixels();
    if (pixels.width >= screen_.grid.columns && pixels.height >= screen_.grid.rows)
      screen_.cell = {pixels.width / screen_.grid.columns, pixels.height / screen_.grid.rows};
    if (screen_.cell.width == 0) screen_.cell = TerminalCell;
    encoder_->reset(screen_);
  }
  Result<void> configure_renderer(const render::RenderSetup& setup) override {
    cell_ = setup.glyphs->cell();
    picture_ = {setup.grid.columns * cell_.width, setup.grid.rows * cell_.height};
    render::RenderSetup drawing = setup;
    drawing.picture = PictureFormat::Bgra8;
    drawing.want_cells = false;
    return renderer().configure(drawing);
  }
  Result<void> send(const render::RenderedFrame& frame) override {
    return terminal()->send_picture(encoder_->encode(frame.picture));
  }
  MousePosition position_of(const present::TerminalMouse& mouse) const override {
    const present::ScreenPosition at = encoder_->position(picture_);
    return {(mouse.column - at.column + 0.5) * screen_.cell.width / cell_.width,
            (mouse.row - at.row + 0.5) * screen_.cell.height / cell_.height};
  }

  const CellSize reported_cell_;
  const std::unique_ptr<present::GraphicsEncoder> encoder_;
  present::GraphicsScreen screen_;
  CellSize cell_{1, 1};  ///< of the image, in pixels
  Extent picture_;       ///< size of the image in pixels
};

}  // namespace

Result<std::unique_ptr<VideoOutput>> make_terminal_output(const cli::Settings& settings,
                                                          const present::GraphicsSupport& support,
                                                          StageTimes& times,
                                                          session::Statistics& statistics) {
  std::unique_ptr<render::Renderer> renderer = render::make_cpu_renderer(settings.engine.threads, times);
  statistics.renderer = renderer->description();
  if (settings.window.terminal_graphics == TerminalGraphics::No)
    return std::unique_ptr<VideoOutput>(std::make_unique<TerminalOutput>(settings, std::move(renderer)));
  return std::unique_ptr<VideoOutput>(
      std::make_unique<GraphicsOutput>(settings, support, std::move(renderer)));
}

}  // namespace glyphreel::player
