#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

namespace glyphreel {

/// The APIs through which hardware decodes, in the order in which --hwdec lists them.
enum class HwDecodeApi { Vaapi, Cuda, Vulkan };

/// What names an API: to users, and to FFmpeg (`ffmpeg -hwaccels`, `ffmpeg -pix_fmts`).
struct HwDecodeApiSpec {
  HwDecodeApi api;
  std::string_view name;       ///< the value of --hwdec; in statistics
  std::string_view title;      ///< in messages
  const char* ffmpeg_device;   ///< FFmpeg's name of the device type
  const char* ffmpeg_surface;  ///< FFmpeg's name of the pixel format of decoded frames
  /// How many surfaces a decoder may have: one with more could not be created.
  int max_surfaces = std::numeric_limits<int>::max();
};

/// Every API. --hwdec auto tries them in this order, fastest first. NVIDIA's own interface comes first: it
/// fails within microseconds on other machines, decodes most codecs, and its copy on the device costs less
/// than sampling a frame. Vulkan frames are rendered where they were decoded, and only the GPU waits for
/// them. VAAPI frames are imported, and the CPU waits for each of them.
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

/// Whether `table`, whose entries have a member `api`, has one for every API: what else an API needs is in
/// tables that assert it.
template <typename Table>
[[nodiscard]] constexpr bool has_every_api(const Table& table) {
  return std::ranges::all_of(HwDecodeApis, [&](const HwDecodeApiSpec& spec) {
    return std::ranges::any_of(table, [&](const auto& entry) { return entry.api == spec.api; });
  });
}

/// Which hardware may decode video besides the CPU: the values of --hwdec. The values after No are those of
/// only().
enum class HwDecodeChoice {
  Auto,  ///< the fastest, if a GPU renders; otherwise none, since frames would have to be downloaded
  No,
};

/// This API, even if its frames must be downloaded; the CPU if it cannot decode.
[[nodiscard]] constexpr HwDecodeChoice only(HwDecodeApi api) {
  return static_cast<HwDecodeChoice>(static_cast<int>(HwDecodeChoice::No) + 1 + static_cast<int>(api));
}

/// The names of all choices, each at the position of its value.
inline constexpr auto HwDecodeChoices = [] {
  std::array<std::string_view, 2 + HwDecodeApis.size()> names{"auto", "no"};
  for (const HwDecodeApiSpec& spec : HwDecodeApis)
    names[static_cast<std::size_t>(only(spec.api))] = spec.name;
  return names;
}();
static_assert(!std::ranges::count(HwDecodeChoices, std::string_view()), "an API is twice in the table");

}  // namespace glyphreel
