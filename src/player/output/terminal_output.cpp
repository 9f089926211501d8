#include <unistd.h>

#include <utility>

#include "base/io/log.h"
#include "player/control/terminal_palette.h"
#include "player/output/video_output.h"
#include "present/terminal/terminal.h"

namespace glyphreel::player {
namespace {

using present::Terminal;

// Assumed size in pixels, because not every terminal reports its cell size. Most cells are about 1:2.
constexpr CellSize TerminalCell{8, 16};

class TerminalOutput final : public VideoOutput {
 public:
  TerminalOutput(const cli::Settings& settings, std::unique_ptr<render::Renderer> renderer)
      : VideoOutput(*renderer), settings_(settings), own_(std::move(renderer)) {}

  Result<std::vector<UiEvent>> wait(double timeout_seconds) override {
    std::vector<UiEvent> inputs;
    TRY_ASSIGN(std::vector<present::TerminalEvent> events, terminal_->wait_events(timeout_seconds));
    for (present::TerminalEvent& event : events) {
      if (auto* key = std::get_if<present::TerminalKey>(&event)) {
        inputs.emplace_back(KeyInput{std::move(key->name)});
      } else if (const auto* mouse = std::get_if<present::TerminalMouse>(&event)) {
        add_mouse(*mouse, inputs);
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
    TRY_ASSIGN(terminal_, Terminal::open());
    // Buffer log lines: in the terminal they would overwrite rows of the picture.
    if (isatty(STDERR_FILENO) != 0) log::set_stderr(log::Stderr::Buffered);
    return {};
  }

  std::vector<text::CharacterRange> missing_characters() const override {
    return terminal_->missing_characters();
  }
  CellSize cell_for(const cli::Settings&) const override { return TerminalCell; }
  std::optional<CellSize> shown_cell(CellSize) const override { return std::nullopt; }
  GridSize grid_for(const LoadedGlyphs&) const override {
    return settings_.grid.value_or(terminal_ ? terminal_->size() : GridSize{80, 24});
  }
  Result<void> sync_size() override { return {}; }
  Result<void> configure(const LoadedGlyphs& glyphs, const render::RenderSetup& setup,
                         const std::shared_ptr<render::SplitRenderer>& split) override {
    if (split) split_ = split;
    draw_with(split.get());
    glyphs_ = setup.glyphs;
    terminal_->use_palette(terminal_palette(glyphs.settings.color));
    last_ = {};
    return renderer().configure(setup);
  }

  Playback::Visibility visibility() override {
    return terminal_->can_take_frame() ? Playback::Visibility::Visible : Playback::Visibility::Pending;
  }
  Result<bool> show(const Frame* frame, const render::FrameOptions& options) override {
    TRY_ASSIGN(last_, frame != nullptr ? renderer().render(*frame, options) : renderer().redraw(options));
    TRY(terminal_->show(last_, *glyphs_));
    return true;
  }

  std::shared_ptr<gpu::Device> device() const override { return nullptr; }

  void set_title(const std::string& title) override {
    if (terminal_) terminal_->set_title(title);
  }
  void copy_to_clipboard(const std::string& text) override { terminal_->copy_to_clipboard(text); }
  void set_fullscreen(bool) override {}
  bool is_fullscreen() const override { return true; }

 private:
  static void add_mouse(const present::TerminalMouse& mouse, std::vector<UiEvent>& inputs) {
    using Action = present::TerminalMouse::Action;
    inputs.emplace_back(MouseInput{MousePosition{mouse.column + 0.5, mouse.row + 0.5}});
    if (mouse.action == Action::Press) {
      inputs.emplace_back(KeyInput{mouse.button});
    } else if (mouse.action == Action::Release) {
      inputs.emplace_back(MouseReleased{});
    }
  }

  const cli::Settings& settings_;
  const std::unique_ptr<render::Renderer> own_;
  std::shared_ptr<render::SplitRenderer> split_;  ///< null until first used
  std::unique_ptr<Terminal> terminal_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  render::RenderedFrame last_;  ///< keeps the memory of the frame that is being written
};

}  // namespace

Result<std::unique_ptr<VideoOutput>> make_terminal_output(const cli::Settings& settings, StageTimes& times,
                                                          session::Statistics& statistics,
                                                          GpuUse /*gpu_use*/) {
  std::unique_ptr<render::Renderer> renderer = render::make_cpu_renderer(settings.threads, times);
  statistics.renderer = renderer->description();
  return std::unique_ptr<VideoOutput>(std::make_unique<TerminalOutput>(settings, std::move(renderer)));
}

}  // namespace glyphreel::player
