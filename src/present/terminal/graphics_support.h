#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/geometry.h"
#include "base/picture_choices.h"
#include "base/result.h"
#include "present/terminal/terminal_keys.h"

namespace glyphreel::present {

/// The graphics support that a terminal reports.
struct GraphicsSupport {
  bool kitty = false;          ///< kitty's graphics protocol
  bool shares_memory = false;  ///< kitty's protocol also works with this machine's shared memory
  bool sixel = false;
  int sixel_colors = 256;  ///< number of color registers
  CellSize cell{0, 0};     ///< size of a cell in pixels; 0x0: unknown
  bool operator==(const GraphicsSupport&) const = default;
};

/// A shared memory object with one black pixel, to test whether the terminal can open shared memory.
class SharedPixel {
 public:
  SharedPixel();
  ~SharedPixel();
  SharedPixel(const SharedPixel&) = delete;
  SharedPixel& operator=(const SharedPixel&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// Returns the queries about graphics. `shared_memory`: the name of a SharedPixel. Every terminal answers the
/// last query, DA1. Pure.
[[nodiscard]] std::string graphics_probe(std::string_view shared_memory);
/// Whether the last query was answered. Pure.
[[nodiscard]] bool is_probe_answered(std::span<const TerminalAnswer> answers);
/// Returns the graphics support that the answers report. Pure.
[[nodiscard]] GraphicsSupport graphics_of(std::span<const TerminalAnswer> answers);

/// Returns the protocol to use: TerminalGraphics::Kitty, Sixel or No, but never Auto. Errors: NoDevice if the
/// terminal does not support the requested protocol. Pure.
[[nodiscard]] Result<TerminalGraphics> choose_graphics(TerminalGraphics wanted,
                                                       const GraphicsSupport& support);

}  // namespace glyphreel::present
