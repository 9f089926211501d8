#pragma once

#include <string>

#include "batch/item.h"

namespace glyphreel::batch {

/// Returns figures as a JSON object in one line.
[[nodiscard]] std::string figures_text(const Figures& figures);
/// Reads what figures_text() wrote. Missing and malformed values are 0.
[[nodiscard]] Figures figures_of(const std::string& text);

}  // namespace glyphreel::batch
