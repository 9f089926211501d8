#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "player/osd/progress_bar.h"
#include "render/overlay_builder.h"
#include "render/renderer.h"

namespace glyphreel::player {

/// Scale factors of the text size, from --sub-scale and --osd-scale. Used only if text is drawn as pixels.
struct TextScale {
  double subtitles = 1;
  double osd = 1;
  bool operator==(const TextScale&) const = default;
};

/// Text over the video: subtitles and the OSD. If text is drawn as pixels, subtitles and the OSD each have a
/// grid and a cell size that depend on the height of the drawn frame. If text is written to a terminal's
/// cells, both use the grid of the frame.
/// Thread-safety: one thread at a time.
class PictureText {
 public:
  /// `on_loaded`: see render::OverlayBuilder::Options.
  explicit PictureText(const std::function<void()>& on_loaded);

  enum class Kind { Cells, Pixels };
  struct Setup {
    Kind kind = Kind::Pixels;
    std::string font;  ///< as in text::GlyphSetOptions
    GridSize grid;     ///< of the drawn frame
    CellSize cell;
    TextScale scale = {};
    bool operator==(const Setup&) const = default;
  };
  void configure(const Setup& setup);
  [[nodiscard]] const Setup& setup() const { return setup_; }

  /// Returns the grids to lay out text on.
  [[nodiscard]] GridSize subtitle_grid() const { return places_[Subtitles].grid; }
  [[nodiscard]] GridSize osd_grid() const { return places_[Osd].grid; }
  /// Converts a position in the frame's cells to a position in the OSD's cells.
  [[nodiscard]] MousePosition osd_position(MousePosition in_picture) const;

  /// Makes `options` show these layers, which must be laid out on subtitle_grid() and osd_grid().
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
