#pragma once

#include <cstddef>

namespace glyphreel::commands {

/// Copies `bytes` bytes between two arrays `copies` times, on `threads` threads (0: one per CPU). Returns the
/// bytes read plus the bytes written per millisecond in the median copy, as the benchmark STREAM counts them.
[[nodiscard]] double copy_bytes_per_ms(std::size_t bytes, int copies, int threads);

/// Runs a fixed amount of work that resembles mapping: table lookups, sums and comparisons over 256 KiB.
/// Returns the CPU time in milliseconds. CPU times that are divided by this time are comparable between runs
/// at different clock rates.
[[nodiscard]] double reference_ms();

}  // namespace glyphreel::commands
