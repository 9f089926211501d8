#pragma once

#include <string>

#include "batch/item.h"

namespace glyphreel::batch {

/// Returns the figures as a JSON object on one line.
[[nodiscard]] std::string figures_text(const Figures& figures);
/// Parses the text of figures_text(). Missing and malformed values become 0.
[[nodiscard]] Figures figures_of(const std::string& text);

}  // namespace glyphreel::batch
