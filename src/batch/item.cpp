#include "batch/item.h"

#include <sys/stat.h>

namespace glyphreel::batch {

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t NsPerSecond = 1'000'000'000;
  return FileStamp{.device = static_cast<std::int64_t>(status.st_dev),
                   .inode = static_cast<std::int64_t>(status.st_ino),
                   .size = status.st_size,
                   .mtime_ns = status.st_mtim.tv_sec * NsPerSecond + status.st_mtim.tv_nsec};
}

Figures sum_of(const std::vector<Segment>& segments) {
  Figures sum;
  double ssim_sum = 0;
  double ssim_frames = 0;
  for (const Segment& segment : segments) {
    const Figures& each = segment.figures;
    const auto weight = static_cast<double>(each.frames);
    sum.frames += each.frames;
    sum.bytes += each.bytes;
    sum.damaged += each.damaged;
    sum.wall_s += each.wall_s;
    for (std::size_t i = 0; i < StageCount; ++i) sum.stage_ms[i] += each.stage_ms[i];
    sum.luma += each.luma * weight;
    sum.edges += each.edges * weight;
    sum.flicker += each.flicker * weight;
    if (each.ssim) {
      ssim_sum += *each.ssim * weight;
      ssim_frames += weight;
    }
  }
  if (sum.frames == 0) return sum;
  if (ssim_frames > 0) sum.ssim = ssim_sum / ssim_frames;
  for (double* mean : {&sum.luma, &sum.edges, &sum.flicker}) *mean /= static_cast<double>(sum.frames);
  return sum;
}

}  // namespace glyphreel::batch
