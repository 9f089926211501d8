#include "commands/bench/copy_speed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/threads/thread_pool.h"
#include "commands/bench/samples.h"

namespace glyphreel::commands {

double copy_bytes_per_ms(std::size_t bytes, int copies, int threads) {
  ThreadPool pool(threads);
  std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes, 0);
  const auto parts = static_cast<std::size_t>(pool.size());
  std::vector<double> times;
  for (int i = 0; i < copies; ++i) {
    const auto start = std::chrono::steady_clock::now();
    pool.parallel_for(pool.size(), [&](int part, int) {
      const std::size_t begin = bytes * static_cast<std::size_t>(part) / parts;
      const std::size_t end = bytes * (static_cast<std::size_t>(part) + 1) / parts;
      std::memcpy(to.data() + begin, from.data() + begin, end - begin);
    });
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  const double typical = median(times);
  return typical > 0 ? 2.0 * static_cast<double>(bytes) / typical : 0;
}

double reference_ms() {
  constexpr std::size_t Size = std::size_t{1} << 16;
  constexpr int Rounds = 24;
  static const std::vector<std::uint32_t> Values = [] {
    std::vector<std::uint32_t> values(Size);
    std::uint32_t state = 1;
    for (std::uint32_t& value : values) value = state = state * 1664525U + 1013904223U;
    return values;
  }();
  const auto cpu_ms = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  };
  const double start = cpu_ms();
  std::array<std::uint32_t, 256> histogram{};
  std::uint32_t sum = 0;
  for (int round = 0; round < Rounds; ++round) {
    for (const std::uint32_t value : Values) {
      const std::uint32_t distance = value > sum ? value - sum : sum - value;
      sum += distance >> 3U;
      ++histogram[distance & 255U];
    }
  }
  volatile std::uint32_t kept = sum + *std::ranges::max_element(histogram);
  static_cast<void>(kept);
  return cpu_ms() - start;
}

}  // namespace glyphreel::commands
