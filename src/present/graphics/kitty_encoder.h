#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "present/graphics/graphics_encoder.h"

namespace glyphreel::present {

/// Encodes pictures in kitty's graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol). Each picture
/// replaces the one before only once the terminal has it, so nothing flickers.
class KittyEncoder final : public GraphicsEncoder {
 public:
  enum class Transfer {
    SharedMemory,  ///< in objects that the terminal removes; if there is no space for one, as Escapes
    Escapes,       ///< compressed, in the sequences themselves
  };
  explicit KittyEncoder(Transfer transfer) : transfer_(transfer) {}
  /// Removes the shared memory objects that the terminal has not opened.
  ~KittyEncoder() override;

 private:
  void append(const Picture& picture, const Picture* before, ScreenPosition at, std::string& bytes) override;
  [[nodiscard]] std::string clear() const override;
  [[nodiscard]] std::optional<std::string> share(std::string_view pixels);

  const Transfer transfer_;
  int image_ = 1;                    ///< number of the image on the screen: 1 or 2
  std::deque<std::string> objects_;  ///< names of the last shared memory objects
  int made_ = 0;                     ///< number of objects so far
};

}  // namespace glyphreel::present
