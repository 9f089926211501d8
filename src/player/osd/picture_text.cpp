#include "player/osd/picture_text.h"

namespace glyphreel::player {
namespace {

// Number of text rows that fill the height of a frame. The statistics page needs about 36. Subtitles have
// fewer rows, and so larger characters, because they are read from a distance.
constexpr int OsdRows = 36;
constexpr int SubtitleRows = 18;

}  // namespace

PictureText::PictureText(const std::function<void()>& on_loaded)
    : builders_{render::OverlayBuilder({.on_loaded = on_loaded}),
                render::OverlayBuilder({.on_loaded = on_loaded})} {}

void PictureText::configure(const Setup& setup) {
  if (setup == setup_) return;
  setup_ = setup;
  const Extent picture{setup.grid.columns * setup.cell.width, setup.grid.rows * setup.cell.height};
  places_.fill({.grid = setup.grid, .cell = setup.cell});
  if (setup.kind == Kind::Pixels) {
    places_[Subtitles] = render::text_place(picture, SubtitleRows, setup.scale.subtitles);
    // Half a row stays free above and below subtitles.
    render::TextPlace& subtitles = places_[Subtitles];
    if (subtitles.grid.rows > 2) {
      --subtitles.grid.rows;
      subtitles.y += subtitles.cell.height / 2;
    }
    places_[Osd] = render::text_place(picture, OsdRows, setup.scale.osd);
  }
  for (std::size_t i = 0; i < builders_.size(); ++i) builders_[i].set_font(setup.font, places_[i].cell);
  drawn_ = {};
  image_.reset();
}

MousePosition PictureText::osd_position(MousePosition in_picture) const {
  const render::TextPlace& place = places_[Osd];
  return {(in_picture.column * setup_.cell.width - place.x) / place.cell.width,
          (in_picture.row * setup_.cell.height - place.y) / place.cell.height};
}

void PictureText::show(const render::TextLayer& subtitles, const render::TextLayer& osd,
                       render::FrameOptions& options) {
  if (setup_.kind == Kind::Cells) {
    const std::array<render::TextLayer, 2> layers = {subtitles, osd};
    options.overlay = builders_[0].make(setup_.grid, layers);
    return;
  }
  const Overlays overlays = {builders_[Subtitles].make(subtitle_grid(), {&subtitles, 1}),
                             builders_[Osd].make(osd_grid(), {&osd, 1})};
  if (overlays != drawn_) {
    const std::array<render::PlacedOverlay, PartCount> placed = {
        {{overlays[Subtitles], places_[Subtitles]}, {overlays[Osd], places_[Osd]}}};
    image_ = render::make_text_image(
        {setup_.grid.columns * setup_.cell.width, setup_.grid.rows * setup_.cell.height}, placed);
    drawn_ = overlays;
  }
  options.text = image_;
}

}  // namespace glyphreel::player
