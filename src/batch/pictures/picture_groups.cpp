#include "batch/pictures/picture_groups.h"

namespace glyphreel::batch {

int batch_size(const BatchNeeds& needs) {
  constexpr std::int64_t MaxBytes = 32 << 20;
  constexpr double MaxMilliseconds = 50;  // long enough to make the time of a submission negligible
  if (needs.chosen > 0) return std::clamp(needs.chosen, 1, needs.most);
  double size = needs.most;
  if (needs.picture_bytes > 0) size = std::min(size, static_cast<double>(MaxBytes / needs.picture_bytes));
  if (needs.render_ms > 0) size = std::min(size, MaxMilliseconds / needs.render_ms);
  const auto jobs = static_cast<std::size_t>(std::max(1, needs.jobs));
  size = std::min(size, static_cast<double>((needs.waiting + jobs - 1) / jobs));
  return std::max(1, static_cast<int>(size));
}

}  // namespace glyphreel::batch
