#pragma once

#include <memory>

#include "media/source.h"

namespace glyphreel::media {

/// Whether an input is a .cells file, which make_cells_source() reads.
[[nodiscard]] bool is_cells_source(const std::string& url);

/// Reads a .cells file. Its frames have Frame::cells; their view is a picture with one pixel per cell, for
/// code that needs pixels. Errors: BadInput.
[[nodiscard]] Result<std::unique_ptr<Source>> make_cells_source(const SourceOptions& options);

}  // namespace glyphreel::media
