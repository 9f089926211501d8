#pragma once

#include <cstddef>

namespace glyphreel::commands {

/// Copies `bytes` from one array to another `copies` times, spread over `threads` (0: one per CPU), and
/// returns how many bytes are read and written per millisecond in the median copy, as the benchmark STREAM
/// counts them.
[[nodiscard]] double copy_bytes_per_ms(std::size_t bytes, int copies, int threads);

/// Runs a fixed amount of work that resembles mapping: table lookups, sums and comparisons over 256 KiB.
/// Returns its CPU time in milliseconds. Times divided by it can be compared between runs at different clock
/// rates.
[[nodiscard]] double reference_ms();

}  // namespace glyphreel::commands
