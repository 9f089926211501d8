#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

namespace glyphreel {

/// The APIs for hardware decoding, in the order in which --hwdec lists them.
enum class HwDecodeApi { Vaapi, Cuda, Vulkan };

/// An API's names for users and in FFmpeg (`ffmpeg -hwaccels`, `ffmpeg -pix_fmts`), and its limits.
struct HwDecodeApiSpec {
  HwDecodeApi api;
  std::string_view name;       ///< in --hwdec and in statistics
  std::string_view title;      ///< in messages
  const char* ffmpeg_device;   ///< FFmpeg's name of the device type
  const char* ffmpeg_surface;  ///< FFmpeg's name of the pixel format of decoded frames
  /// The maximum number of surfaces of a decoder. Creating a decoder with more fails.
  int max_surfaces = std::numeric_limits<int>::max();
};

/// Every API. --hwdec auto tries the APIs in this order, fastest first. NVDEC is first: it fails within
/// microseconds if there is no NVIDIA driver, it decodes most codecs, and its frames are copied only within
/// GPU memory. Copying a frame takes less time than the GPU then needs to compute the cells' samples from it.
/// Vulkan Video frames are rendered without a copy, and only the GPU waits until they are decoded. VAAPI is
/// last: its frames are also rendered without a copy, but the CPU waits until each frame is decoded.
inline constexpr auto HwDecodeApis = std::to_array<HwDecodeApiSpec>({
    {.api = HwDecodeApi::Cuda,
     .name = "cuda",
     .title = "NVDEC",
     .ffmpeg_device = "cuda",
     .ffmpeg_surface = "cuda",
     .max_surfaces = 32},
    {.api = HwDecodeApi::Vulkan,
     .name = "vulkan",
     .title = "Vulkan Video",
     .ffmpeg_device = "vulkan",
     .ffmpeg_surface = "vulkan"},
    {.api = HwDecodeApi::Vaapi,
     .name = "vaapi",
     .title = "VAAPI",
     .ffmpeg_device = "vaapi",
     .ffmpeg_surface = "vaapi"},
});

[[nodiscard]] constexpr const HwDecodeApiSpec& spec_of(HwDecodeApi api) {
  return *std::ranges::find(HwDecodeApis, api, &HwDecodeApiSpec::api);
}

/// Whether `table` has an entry for every API. Tables with one entry per API check this in a static_assert.
template <typename Table>
[[nodiscard]] constexpr bool has_every_api(const Table& table) {
  return std::ranges::all_of(HwDecodeApis, [&](const HwDecodeApiSpec& spec) {
    return std::ranges::any_of(table, [&](const auto& entry) { return entry.api == spec.api; });
  });
}

/// The values of --hwdec: which hardware may decode video. Each API also has a value that selects the API.
/// The values of the APIs follow HwDecodeChoice::No and have no enumerators; choice_of() returns them.
enum class HwDecodeChoice {
  Auto,  ///< the fastest API if a GPU renders; otherwise the CPU decodes, so that no frame is downloaded
  No,
};

/// Returns the choice that selects this API. With this choice, the API decodes even if each frame must then
/// be downloaded to host memory. If the API cannot decode the video, the CPU decodes it.
[[nodiscard]] constexpr HwDecodeChoice choice_of(HwDecodeApi api) {
  return static_cast<HwDecodeChoice>(static_cast<int>(HwDecodeChoice::No) + 1 + static_cast<int>(api));
}

/// The names of all choices, indexed by HwDecodeChoice.
inline constexpr auto HwDecodeChoices = [] {
  std::array<std::string_view, 2 + HwDecodeApis.size()> names{"auto", "no"};
  for (const HwDecodeApiSpec& spec : HwDecodeApis)
    names[static_cast<std::size_t>(choice_of(spec.api))] = spec.name;
  return names;
}();
static_assert(!std::ranges::count(HwDecodeChoices, std::string_view()),
              "an API has two entries in the table");

}  // namespace glyphreel
