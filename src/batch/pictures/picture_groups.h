#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glyphreel::batch {

/// Inputs of batch_size().
struct BatchNeeds {
  int chosen = 0;                  ///< the number given with --batch; 0: --batch is "auto"
  int most = 1;                    ///< maximum number of pictures that the renderer can render together
  std::int64_t picture_bytes = 0;  ///< memory that one picture needs until it is written
  double render_ms = 0;            ///< measured time of rendering one picture; 0: unknown
  std::size_t waiting = 0;         ///< number of pictures, of all jobs, that are not written yet
  int jobs = 1;
};
/// Returns how many pictures a job renders together, from 1 to `most`. Unless the user chooses, a batch
/// takes at most 32 MiB of memory, 50 ms of rendering, and the job's share of the waiting pictures.
[[nodiscard]] int batch_size(const BatchNeeds& needs);

/// Moves equal items next to each other. Groups are in the order of their first items, and the order within a
/// group is kept. Quadratic in the number of groups.
template <typename Item, typename Equal>
void gather_equal(std::vector<Item>& items, const Equal& equal) {
  for (auto first = items.begin(); first != items.end();) {
    first = std::stable_partition(first + 1, items.end(),
                                  [&, &leader = *first](const Item& item) { return equal(leader, item); });
  }
}

}  // namespace glyphreel::batch
