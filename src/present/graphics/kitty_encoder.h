#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "present/graphics/graphics_encoder.h"

namespace glyphreel::present {

/// Encodes pictures in kitty's graphics protocol (sw.kovidgoyal.net/kitty/graphics-protocol). The terminal
/// deletes a picture only after it has received the next picture, so nothing flickers.
class KittyEncoder final : public GraphicsEncoder {
 public:
  enum class Transfer {
    SharedMemory,  ///< in shared memory objects, which the terminal removes; if memory is full, uses Escapes
    Escapes,       ///< compressed, inside the escape sequences
  };
  explicit KittyEncoder(Transfer transfer) : transfer_(transfer) {}
  /// Removes the shared memory objects that the terminal has not opened.
  ~KittyEncoder() override;

 private:
  void append(const Picture& picture, const Picture* before, ScreenPosition at, std::string& bytes) override;
  [[nodiscard]] std::string clear() const override;
  [[nodiscard]] std::optional<std::string> share(std::string_view pixels);

  const Transfer transfer_;
  int image_ = 1;                    ///< ID of the image on the screen: 1 or 2
  std::deque<std::string> objects_;  ///< names of the newest shared memory objects, oldest first
  int made_ = 0;                     ///< number of shared memory objects made so far
};

}  // namespace glyphreel::present
