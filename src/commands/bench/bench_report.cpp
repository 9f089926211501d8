#include "commands/bench/bench_report.h"

#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/io/atomic_file.h"
#include "commands/report_page.h"
#include "session/statistics.h"

namespace glyphreel::commands {
namespace {

constexpr std::string_view BenchPage =
#include "commands/bench_html.inc"
    ;
static_assert(BenchPage.find(ReportPlaceholder) != std::string_view::npos);

}  // namespace

Result<std::unique_ptr<BenchReport>> BenchReport::make(const std::string& directory,
                                                       const InputFiles& inputs) {
  TRY(make_report_folder(directory));
  return std::unique_ptr<BenchReport>(new BenchReport(directory, inputs));
}

Result<void> BenchReport::finish(const nlohmann::json& run) {
  const auto write = [&](const char* name, const std::string& text) {
    return write_file({.path = (std::filesystem::path(directory_) / name).string(),
                       .existing = AtomicFile::Existing::Replace,
                       .inputs = inputs_},
                      text);
  };
  TRY(write("index.html", report_page(BenchPage, run)));
  return write("bench.json", session::json_text(run) + '\n');
}

}  // namespace glyphreel::commands
