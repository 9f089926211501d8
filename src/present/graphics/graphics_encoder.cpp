#include "present/graphics/graphics_encoder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "present/export/image/cell_picture.h"
#include "present/graphics/kitty_encoder.h"
#include "present/graphics/sixel_encoder.h"

namespace glyphreel::present {
namespace {

// Mode 2026: the terminal applies everything between these two sequences at once.
constexpr std::string_view BeginPicture = "\x1b[?2026h";
constexpr std::string_view EndPicture = "\x1b[?2026l";

}  // namespace

void GraphicsEncoder::reset(const GraphicsScreen& screen) {
  screen_ = screen;
  shown_ = {};
  is_cleared_ = false;
}

ScreenPosition GraphicsEncoder::position(Extent picture) const {
  const Extent space = area();
  return {std::max(0, space.width - picture.width) / 2 / screen_.cell.width,
          std::max(0, space.height - picture.height) / 2 / screen_.cell.height};
}

std::string GraphicsEncoder::encode(Picture picture) {
  const Extent space = area();
  picture.size = {std::min(picture.size.width, space.width), std::min(picture.size.height, space.height)};
  const bool is_placed = shown_.format != PictureFormat::None && shown_.size == picture.size;
  if (is_placed && changed_area(shown_, picture).is_empty()) return {};
  std::string bytes(BeginPicture);
  if (!is_cleared_ || !is_placed) {
    bytes += "\x1b[m\x1b[H\x1b[2J" + clear();
    is_cleared_ = true;
  }
  append(picture, is_placed ? &shown_ : nullptr, position(picture.size), bytes);
  bytes += EndPicture;
  shown_ = std::move(picture);
  return bytes;
}

void append_move(ScreenPosition to, std::string& bytes) {
  fmt::format_to(std::back_inserter(bytes), "\x1b[{};{}H", to.row + 1, to.column + 1);
}

std::unique_ptr<GraphicsEncoder> make_graphics_encoder(TerminalGraphics protocol,
                                                       const GraphicsSupport& support) {
  if (protocol == TerminalGraphics::Sixel) return std::make_unique<SixelEncoder>(support.sixel_colors);
  return std::make_unique<KittyEncoder>(support.shares_memory ? KittyEncoder::Transfer::SharedMemory
                                                              : KittyEncoder::Transfer::Escapes);
}

}  // namespace glyphreel::present
