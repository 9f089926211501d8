#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/geometry.h"
#include "commands/report.h"

namespace glyphreel::commands {

/// One frame on the page, and how its two pictures differ.
struct ShownFrame {
  std::int64_t index = 0;  ///< from 0, in the order compared
  GridSize grid;
  Extent size;                         ///< pixels of each picture
  std::int64_t mismatched_cells = 0;   ///< of this frame
  std::int64_t mismatched_pixels = 0;  ///< of this frame
  int max_pixel_difference = 0;
  std::string gpu_file, cpu_file, difference_file;  ///< PNG files next to the page
};

/// Returns the report as one HTML document: embedded styles and plots, pictures by relative links, no
/// scripts. Escapes all text that comes from outside.
[[nodiscard]] std::string report_page(const Report::Summary& summary, std::span<const ShownFrame> frames);

}  // namespace glyphreel::commands
