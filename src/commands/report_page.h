#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/geometry.h"
#include "commands/report.h"

namespace glyphreel::commands {

/// One frame on the page, and how its two pictures differ.
struct ShownFrame {
  std::int64_t index = 0;  ///< from 0, in the order compared
  GridSize grid;
  Extent size;                                      ///< pixels of each picture
  Comparison comparison;                            ///< of this frame alone
  std::string gpu_file, cpu_file, difference_file;  ///< PNG files next to the page
};

/// Returns what the page shows:
///   title, gpu, cpu   the input and the two renderers
///   comparison        the object of `compare --json`
///   frames            a list of index, columns, rows, width, height, the three counts of differences, and
///                     files {gpu, cpu, difference}
///   stages            a list of name, gpu, cpu: each as in `--stats`, or null if it did not run
///   timed_frames      how many frames were timed
///   frame_ms          {gpu, cpu}: lists of [frame, mean, least, most], the milliseconds to map and draw.
///                     One point stands for a run of frames if there are many.
[[nodiscard]] nlohmann::json report_json(const Report::Summary& summary, std::span<const ShownFrame> frames);

/// Returns assets/report.html with that JSON in it. Text from outside cannot end the element that holds it.
[[nodiscard]] std::string report_page(const nlohmann::json& report);

}  // namespace glyphreel::commands
