#include "batch/batch_progress.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "present/export/progress.h"

namespace glyphreel::batch {
namespace {

double to_thousandths(double value) {
  return std::round(value * 1000) / 1000;
}

std::string line_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

double finished_share(const BatchProgress& progress) {
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 1.0; };
  if (progress.bytes_total > 0)
    return share(static_cast<double>(progress.bytes_in), static_cast<double>(progress.bytes_total));
  return share(static_cast<double>(progress.done + progress.failed), static_cast<double>(progress.total));
}

double per_second(double count, const BatchProgress& progress) {
  return progress.seconds > 0 ? count / progress.seconds : 0;
}

}  // namespace

double remaining_seconds(const BatchProgress& progress) {
  const double share = finished_share(progress);
  return progress.done + progress.failed > 0 && share > 0 ? progress.seconds * (1 - share) / share : -1;
}

std::string progress_line(const BatchProgress& progress) {
  const double left = remaining_seconds(progress);
  return fmt::format("{}/{} items{}  {:.1f} items/s {:.1f} fps  waiting {} running {} unsaved {}  {}",
                     progress.done + progress.failed, progress.total,
                     progress.failed > 0 ? fmt::format(", {} failed", progress.failed) : "",
                     per_second(static_cast<double>(progress.done), progress),
                     per_second(static_cast<double>(progress.frames), progress), progress.waiting,
                     progress.running, progress.unsaved,
                     progress.is_stopping ? "finishing the running items"
                     : left < 0           ? "ETA -"
                                          : fmt::format("ETA {}", present::clock_text(left)));
}

std::string status_json(const BatchProgress& progress, const std::vector<std::string>& current_items) {
  const double left = remaining_seconds(progress);
  return line_of({{"message_type", "status"},
                  {"seconds_elapsed", to_thousandths(progress.seconds)},
                  {"seconds_remaining", left < 0 ? nlohmann::json() : nlohmann::json(to_thousandths(left))},
                  {"percent_done", to_thousandths(std::clamp(finished_share(progress), 0.0, 1.0))},
                  {"total_items", progress.total},
                  {"items_done", progress.done},
                  {"items_waiting", progress.waiting},
                  {"items_running", progress.running},
                  {"items_unsaved", progress.unsaved},
                  {"total_bytes", progress.bytes_total},
                  {"bytes_done", progress.bytes_in},
                  {"frames_done", progress.frames},
                  {"error_count", progress.failed},
                  {"current_items", current_items}});
}

std::string summary_json(const BatchProgress& progress) {
  return line_of(
      {{"message_type", "summary"},
       {"items_done", progress.done},
       {"items_failed", progress.failed},
       {"items_skipped", progress.skipped},
       {"items_left", progress.total - progress.done - progress.failed},
       {"frames", progress.frames},
       {"bytes_in", progress.bytes_in},
       {"bytes_out", progress.bytes_out},
       {"total_duration", to_thousandths(progress.seconds)},
       {"items_per_second", to_thousandths(per_second(static_cast<double>(progress.done), progress))}});
}

std::string summary_text(const BatchProgress& progress) {
  const std::size_t left = progress.total - progress.done - progress.failed;
  return fmt::format(
      "{} converted, {} done before, {} failed{}; {} frames in {}, {:.1f} items/s.", progress.done,
      progress.skipped, progress.failed, left > 0 ? fmt::format(", {} left", left) : "", progress.frames,
      present::clock_text(progress.seconds), per_second(static_cast<double>(progress.done), progress));
}

}  // namespace glyphreel::batch
