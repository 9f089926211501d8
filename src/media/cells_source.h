#pragma once

#include <memory>

#include "media/source.h"

namespace glyphreel::media {

/// Whether an input is a .cells file, which make_cells_source() reads.
[[nodiscard]] bool is_cells_source(const std::string& url);

/// Opens a .cells file. Each frame has Frame::cells and, for code that needs pixels, a view with one pixel
/// per cell. Errors: BadInput if the file cannot be read, is damaged, or contains no frames; those of
/// time_range().
[[nodiscard]] Result<std::unique_ptr<Source>> make_cells_source(const SourceOptions& options);

}  // namespace glyphreel::media
