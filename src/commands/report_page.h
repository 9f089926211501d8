#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace glyphreel::commands {

/// Creates the folder of --report if it does not exist. Errors: Failed if it cannot be written.
[[nodiscard]] Result<void> make_report_folder(const std::string& directory);

/// The text in a page template that report_page() replaces with the data.
inline constexpr std::string_view ReportPlaceholder = "REPORT_DATA";

/// Returns `page` with `data` in its script element. No text in `data` can end that element.
[[nodiscard]] std::string report_page(std::string_view page, const nlohmann::json& data);

}  // namespace glyphreel::commands
