#include "commands/report_page.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace glyphreel::commands {

Result<void> make_report_folder(const std::string& directory) {
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (!problem && ::access(directory.c_str(), W_OK | X_OK) != 0)
    problem = std::error_code(errno, std::generic_category());
  if (!problem) return {};
  return Error{ErrorCode::Failed,
               fmt::format("The report cannot be written to {}: choose a writable folder.", directory),
               problem.message()};
}

std::string report_page(std::string_view page, const nlohmann::json& data) {
  std::string text;
  // Escape every "<", because "</script>" and "<!--" have a meaning inside a script element.
  for (const char c : data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    c == '<' ? text += "\\u003c" : text += c;
  }
  std::string filled(page);
  return filled.replace(filled.find(ReportPlaceholder), ReportPlaceholder.size(), text);
}

}  // namespace glyphreel::commands
