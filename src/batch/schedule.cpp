#include "batch/schedule.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace glyphreel::batch {

Outcome outcome_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::Interrupted:
      return Outcome::Interrupted;
    case ErrorCode::Usage:
    case ErrorCode::BadInput:
      return Outcome::Failed;
    case ErrorCode::Failed:
    case ErrorCode::NoDevice:
      break;
  }
  return Outcome::MayPass;
}

bool is_fatal(const Error& error) {
  constexpr std::array Causes = {ENOSPC, EDQUOT, EROFS};
  return std::ranges::any_of(Causes, [&](int cause) {
    return error.cause.find(std::generic_category().message(cause)) != std::string::npos;
  });
}

void Schedule::add(std::size_t item, const std::vector<int>& segments, int segments_in_item) {
  CHECK(items_.empty() || items_.back().item < item, "items were not added in ascending order");
  items_.push_back({.item = item,
                    .segments_left = static_cast<int>(segments.size()),
                    .is_assembled = segments_in_item == 1});
  for (const int segment : segments) ready_.push_back({item, segment});
  if (segments.empty()) ready_.push_back({item, Unit::Assembling});
}

Schedule::ItemProgress& Schedule::progress_of(std::size_t item) {
  return *std::ranges::lower_bound(items_, item, {}, &ItemProgress::item);
}

std::optional<Unit> Schedule::next() {
  while (!is_stopped_ && !ready_.empty()) {
    const Unit unit = ready_.front();
    ready_.pop_front();
    if (progress_of(unit.item).has_failed) continue;
    ++running_;
    return unit;
  }
  return std::nullopt;
}

Schedule::Consequence Schedule::finish(const Unit& unit, Outcome outcome) {
  --running_;
  ItemProgress& progress = progress_of(unit.item);
  switch (outcome) {
    case Outcome::Succeeded:
      if (unit.segment == Unit::Assembling) return Consequence::ItemDone;
      if (--progress.segments_left > 0) return Consequence::SegmentDone;
      if (progress.is_assembled) return Consequence::ItemDone;
      ready_.push_front({unit.item, Unit::Assembling});
      return Consequence::SegmentDone;
    case Outcome::MayPass:
      if (!is_stopped_ && progress.attempts++ < retries_) {
        ready_.push_back(unit);
        return Consequence::Retry;
      }
      break;
    case Outcome::Failed:
      break;
    case Outcome::Interrupted:
      return Consequence::ItemStopped;
  }
  progress.has_failed = true;
  return Consequence::ItemFailed;
}

Parallelism choose_jobs(int jobs, int threads, int cpus, EngineBalance::Engines engines, std::size_t items) {
  const int most = static_cast<int>(std::clamp<std::size_t>(items, 1, 256));
  const int usual = engines == EngineBalance::Engines::Gpu ? std::min(cpus, GpuJobs) : cpus;
  Parallelism chosen{.jobs = std::clamp(jobs > 0 ? jobs : usual, 1, most), .threads = threads};
  if (threads == 0 && chosen.jobs > 1) chosen.threads = std::max(1, cpus / chosen.jobs);
  return chosen;
}

}  // namespace glyphreel::batch
