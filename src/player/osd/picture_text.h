#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "player/osd/progress_bar.h"
#include "render/overlay_builder.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Factors on the size of text in pictures (--sub-scale, --osd-scale).
struct TextScale {
  double subtitles = 1;
  double osd = 1;
  bool operator==(const TextScale&) const = default;
};

/// Text over the picture: subtitles and the OSD. In a picture, each has cells of a size of its own, which
/// depends on the picture's height. In a terminal, both use the picture's cells.
/// Thread-safety: one thread at a time.
class PictureText {
 public:
  /// `on_loaded`: see render::OverlayBuilder::Options.
  explicit PictureText(const std::function<void()>& on_loaded);

  enum class Kind { Cells, Pixels };
  struct Setup {
    Kind kind = Kind::Pixels;
    std::string font;  ///< as in text::GlyphSetOptions
    GridSize grid;     ///< of the picture
    CellSize cell;
    TextScale scale = {};
    bool operator==(const Setup&) const = default;
  };
  void configure(const Setup& setup);
  [[nodiscard]] const Setup& setup() const { return setup_; }

  /// Returns the grids to lay out text on.
  [[nodiscard]] GridSize subtitle_grid() const { return places_[Subtitles].grid; }
  [[nodiscard]] GridSize osd_grid() const { return places_[Osd].grid; }
  /// Converts a position in the picture's cells to a position in the OSD's cells.
  [[nodiscard]] MousePosition osd_position(MousePosition in_picture) const;

  /// Sets the text of `options` to these layers, which are laid out on the grids above.
  void show(const render::TextLayer& subtitles, const render::TextLayer& osd, render::FrameOptions& options);

 private:
  enum Part { Subtitles, Osd, PartCount };
  using Overlays = std::array<std::shared_ptr<const render::Overlay>, PartCount>;

  Setup setup_;
  std::array<render::TextPlace, PartCount> places_;
  std::array<render::OverlayBuilder, PartCount> builders_;  ///< Kind::Cells uses only the first
  Overlays drawn_;                                          ///< the overlays in `image_`
  std::shared_ptr<const render::TextImage> image_;
};

}  // namespace glyphreel::player
