#include <cstdint>
#include <utility>

#include "present/window/display.h"

namespace glyphreel::present {
namespace {

// The few OpenGL 1.1 functions and constants that copy a picture to a window. Every implementation has
// them, and they need neither a header nor a loader (Khronos OpenGL 1.1 specification, sections 3.6 and
// 4.2).
struct OpenGl {
  static constexpr unsigned ColorBufferBit = 0x4000, Bgra = 0x80E1, UnsignedByte = 0x1401,
                            UnpackRowLength = 0x0CF2;
  void (*clear)(unsigned) = nullptr;
  void (*clear_color)(float, float, float, float) = nullptr;
  void (*viewport)(int, int, int, int) = nullptr;
  void (*raster_position)(float, float) = nullptr;
  void (*pixel_zoom)(float, float) = nullptr;
  void (*pixel_store)(unsigned, int) = nullptr;
  void (*draw_pixels)(int, int, unsigned, unsigned, const void*) = nullptr;
  void (*move_raster)(int, int, float, float, float, float, const unsigned char*) = nullptr;

  bool load() {
    const auto find = [](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(Window::gl_function(name));
      return function != nullptr;
    };
    return find(clear, "glClear") && find(clear_color, "glClearColor") && find(viewport, "glViewport") &&
           find(raster_position, "glRasterPos2f") && find(pixel_zoom, "glPixelZoom") &&
           find(pixel_store, "glPixelStorei") && find(draw_pixels, "glDrawPixels") &&
           find(move_raster, "glBitmap");
  }
};

class OpenGlDisplay final : public Display {
 public:
  OpenGlDisplay(Window& window, StageTimes& times, OpenGl gl, std::shared_ptr<render::Renderer> renderer)
      : window_(window), times_(times), gl_(gl), renderer_(std::move(renderer)) {}

  Result<void> configure(render::RenderSetup setup) override {
    setup.picture = PictureFormat::Bgra8;
    TRY(renderer_->configure(setup));
    is_configured_ = true;
    return {};
  }
  void warm_up(const render::RenderSetup& setup) override { renderer_->warm_up(setup); }
  void warm_up_overlay() override { renderer_->warm_up_overlay(); }
  void adjust(const mapping::Adjustments& adjustments) override { renderer_->adjust(adjustments); }
  void set_effect(render::Effect effect) override {
    renderer_->set_effect(effect);
    is_outdated_ = true;
  }
  void set_overlay(std::shared_ptr<const render::Overlay> overlay) override {
    renderer_->set_overlay(std::move(overlay));
    is_outdated_ = true;
  }
  Result<void> resize(Extent) override { return {}; }
  Result<ShowOutcome> show(const Frame& frame) override {
    TRY(renderer_->submit(frame));
    TRY_ASSIGN(last_, renderer_->collect());
    is_outdated_ = false;
    return show_again();
  }
  Result<ShowOutcome> show_again() override {
    if (is_outdated_ && is_configured_) {
      TRY_ASSIGN(last_, renderer_->redraw());
      is_outdated_ = false;
    }
    const Extent window = window_.framebuffer_size();
    if (last_.picture.format == PictureFormat::None || window.width <= 0 || window.height <= 0) {
      return ShowOutcome::NotVisible;
    }
    const ScopedStage stage(times_, Stage::Present);
    draw(window);
    if (window != drawn_size_) {
      // Mesa's software drivers adopt a new window size only at a swap, so the first picture after a change
      // is cut off. Draw it twice.
      draw(window);
      drawn_size_ = window;
    }
    return ShowOutcome::Shown;
  }
  HostMemory* frame_memory() override { return nullptr; }
  std::string renderer_description() const override { return renderer_->description(); }
  std::string presenter_description() const override { return "OpenGL"; }
  std::uint64_t bytes_copied() const override { return renderer_->bytes_copied(); }
  Result<std::unique_ptr<Display>> make_for(std::shared_ptr<render::Renderer> renderer) override {
    return std::unique_ptr<Display>(
        std::make_unique<OpenGlDisplay>(window_, times_, gl_, std::move(renderer)));
  }

 private:
  void draw(Extent window) {
    const Picture& picture = last_.picture;
    gl_.viewport(0, 0, window.width, window.height);
    gl_.clear_color(0, 0, 0, 1);
    gl_.clear(OpenGl::ColorBufferBit);
    // The raster position starts at the top left corner of the window. Moving it with an empty bitmap,
    // unlike setting it, may leave the window, which pictures larger than the window need.
    gl_.raster_position(-1, 1);
    gl_.move_raster(0, 0, 0, 0, static_cast<float>((window.width - picture.size.width) / 2),
                    static_cast<float>(-((window.height - picture.size.height) / 2)), nullptr);
    gl_.pixel_zoom(1, -1);
    gl_.pixel_store(OpenGl::UnpackRowLength, picture.strides[0] / 4);
    gl_.draw_pixels(picture.size.width, picture.size.height, OpenGl::Bgra, OpenGl::UnsignedByte,
                    picture.planes[0]);
    window_.swap_buffers();
  }

  Window& window_;
  StageTimes& times_;
  OpenGl gl_;
  Extent drawn_size_;  ///< window size at the last picture
  const std::shared_ptr<render::Renderer> renderer_;
  render::RenderedFrame last_;
  bool is_configured_ = false;
  bool is_outdated_ = false;  ///< effect or overlay has changed since `last_` was drawn
};

}  // namespace

Result<std::unique_ptr<Display>> make_opengl_display(const DisplayOptions& options) {
  OpenGl gl;
  if (!gl.load()) return Error{ErrorCode::NoDevice, "The window supports neither Vulkan nor OpenGL.", {}};
  return std::unique_ptr<Display>(std::make_unique<OpenGlDisplay>(
      *options.window, *options.times, gl, render::make_cpu_renderer(options.threads, *options.times)));
}

}  // namespace glyphreel::present
