#include "base/io/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/atomic_file.h"
#include "base/io/printable.h"

namespace glyphreel::log {
namespace {

/// Writes log lines to a file.
class LogFileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LogFileSink(FileDescriptor file) : file_(std::move(file)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string_view left(line.data(), line.size());
    // A failed write drops the rest of the line and does not stop the program.
    for (ssize_t count = 0;
         !left.empty() && (count = ::write(file_.number(), left.data(), left.size())) > 0;) {
      left.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void flush_() override {}

 private:
  FileDescriptor file_;
};

/// Prints log lines to standard error, or buffers them.
class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void set(Stderr state) {
    const std::lock_guard lock(mutex_);
    state_ = state;
    if (state == Stderr::Buffered) return;
    for (const spdlog::details::log_msg_buffer& message : std::exchange(buffered_, {})) out_.log(message);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (state_ == Stderr::Shown) {
      out_.log(message);
      return;
    }
    if (buffered_.size() == MaxBuffered) buffered_.pop_front();
    buffered_.emplace_back(message);
  }
  void flush_() override { out_.flush(); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> formatter) override {
    out_.set_formatter(std::move(formatter));
  }

 private:
  static constexpr std::size_t MaxBuffered = 200;  // lines
  spdlog::sinks::stderr_color_sink_mt out_;
  Stderr state_ = Stderr::Shown;
  std::deque<spdlog::details::log_msg_buffer> buffered_;
};

std::shared_ptr<StderrSink>& stderr_sink() {
  static std::shared_ptr<StderrSink> sink = std::make_shared<StderrSink>();
  return sink;
}

/// Indexed by Level.
constexpr spdlog::level::level_enum SpdlogLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                      spdlog::level::warn, spdlog::level::err};

}  // namespace

void write(Level level, fmt::string_view format, fmt::format_args arguments) {
  spdlog::logger& logger = *spdlog::default_logger_raw();
  const spdlog::level::level_enum spdlog_level = SpdlogLevels[static_cast<std::size_t>(level)];
  if (!logger.should_log(spdlog_level)) return;
  try {
    // Escape the message, because it may contain file names and text from other programs.
    logger.log(spdlog_level, spdlog::string_view_t(printable(fmt::vformat(format, arguments))));
  } catch (const std::bad_alloc&) {  // drop the line: C libraries' callbacks call write() and must not throw
  }
}

void set_stderr(Stderr state) {
  stderr_sink()->set(state);
}

void initialize(Verbosity verbosity, const std::string& file) {
  std::vector<spdlog::sink_ptr> sinks{stderr_sink()};
  sinks.front()->set_level(verbosity == Verbosity::Quiet     ? spdlog::level::err
                           : verbosity == Verbosity::Verbose ? spdlog::level::debug
                                                             : spdlog::level::info);
  sinks.front()->set_pattern("glyphreel: %v");
  std::optional<Error> failure;
  if (!file.empty()) {
    if (Result<FileDescriptor> opened = open_log(file)) {
      sinks.push_back(std::make_shared<LogFileSink>(*std::move(opened)));
      sinks.back()->set_pattern("%H:%M:%S.%f %l [%t] %v");
    } else {
      failure = opened.error();
    }
  }
  auto logger = std::make_shared<spdlog::logger>("glyphreel", sinks.begin(), sinks.end());
  logger->set_level(logger->sinks().size() > 1 ? spdlog::level::debug : logger->sinks().front()->level());
  spdlog::set_default_logger(std::move(logger));
  if (failure) warn("Continuing without a log file: {}", full_text(*failure));
}

}  // namespace glyphreel::log
