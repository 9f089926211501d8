#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "present/graphics/graphics_encoder.h"

namespace glyphreel::present::testing {

/// Emulates a terminal that supports kitty's graphics protocol and sixels. Adds a test failure for every
/// sequence that it does not support.
class PixelTerminal {
 public:
  static constexpr std::uint32_t Blank = 0xFF808080;

  explicit PixelTerminal(const GraphicsScreen& screen) : screen_(screen) { clear(); }

  void write(std::string_view bytes);
  /// Returns the color of a pixel, 0xFFRRGGBB.
  [[nodiscard]] std::uint32_t pixel(int x, int y) const;
  /// Returns the number of images that were sent by kitty's protocol and are not deleted.
  [[nodiscard]] std::size_t images() const { return images_.size(); }
  /// Returns the number of colors that the last sixels defined.
  [[nodiscard]] std::size_t colors() const { return registers_.size(); }
  [[nodiscard]] Extent last_sixels() const { return sixels_; }
  [[nodiscard]] std::size_t longest_payload() const { return longest_payload_; }

 private:
  struct Image {
    int x = 0, y = 0;
    Extent size;
    std::string pixels;  ///< R, G, B
  };
  using Keys = std::map<std::string, std::string>;

  void clear() { canvas_.assign(static_cast<std::size_t>(area().width) * area().height, Blank); }
  [[nodiscard]] Extent area() const { return screen_.pixels(); }
  [[nodiscard]] int left() const { return cursor_.column * screen_.cell.width; }
  [[nodiscard]] int top() const { return cursor_.row * screen_.cell.height; }
  void run_control(std::string_view parameters, char final);
  void run_graphics(std::string_view command);
  void show_image(const Keys& keys, const std::string& payload);
  void run_sixels(std::string_view sixels);

  const GraphicsScreen screen_;
  ScreenPosition cursor_;
  std::map<int, Image> images_;
  Keys transmitted_;     ///< keys of the image whose payload is not complete
  std::string payload_;  ///< the part received so far
  std::size_t longest_payload_ = 0;
  std::vector<std::uint32_t> canvas_;  ///< pixels drawn by sixels
  std::map<int, std::uint32_t> registers_;
  Extent sixels_;
};

}  // namespace glyphreel::present::testing
