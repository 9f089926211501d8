#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace glyphreel::batch {

/// What the number of pictures that a job renders together depends on.
struct BatchNeeds {
  int chosen = 0;                  ///< --batch; 0: auto
  int most = 1;                    ///< how many the renderer accepts
  std::int64_t picture_bytes = 0;  ///< memory of one picture from decoding to encoding
  double render_ms = 0;            ///< measured time of rendering one picture; 0: unknown
  std::size_t waiting = 0;         ///< pictures of all jobs that are not written yet
  int jobs = 1;
};
/// Returns how many pictures a job renders together: what the user chose, or as many as fit into a bounded
/// amount of memory and time, and few enough that all jobs end at about the same time. From 1 to `most`.
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
