#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <memory>
#include <vector>

namespace glyphreel::log {

void initialise(Verbosity verbosity, const std::string& file) {
  std::vector<spdlog::sink_ptr> sinks{std::make_shared<spdlog::sinks::stderr_color_sink_mt>()};
  sinks.front()->set_level(verbosity == Verbosity::Quiet     ? spdlog::level::err
                           : verbosity == Verbosity::Verbose ? spdlog::level::debug
                                                             : spdlog::level::info);
  sinks.front()->set_pattern("glyphreel: %v");
  bool unwritable = false;
  if (!file.empty()) {
    try {
      sinks.push_back(std::make_shared<spdlog::sinks::basic_file_sink_mt>(file, true));
      sinks.back()->set_pattern("%H:%M:%S.%f %l [%t] %v");
    } catch (const spdlog::spdlog_ex&) {
      unwritable = true;
    }
  }
  auto logger = std::make_shared<spdlog::logger>("glyphreel", sinks.begin(), sinks.end());
  logger->set_level(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
  if (unwritable) warn("The log file {} cannot be written; going on without it.", file);
}

}  // namespace glyphreel::log
