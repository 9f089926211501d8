#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/io/printable.h"
#include "cli/assets.h"
#include "cli/looks.h"
#include "commands/charset_sheet.h"
#include "commands/commands.h"
#include "commands/input_listing.h"
#include "gpu/device/device.h"
#include "interop/gpu_hw_device_provider.h"
#include "mapping/kernels/kernels.h"
#include "mapping/tables/palette.h"
#include "media/listing.h"
#include "player/osd/progress_bar.h"
#include "session/recent_files.h"
#include "session/setup.h"
#include "session/statistics.h"
#include "text/charset.h"

namespace glyphreel::commands {
namespace {

/// Lists the hardware decoders of the GPU that --device selects; by default, of the fastest GPU.
nlohmann::json hardware_json(const cli::Settings& settings) {
  nlohmann::json json = nlohmann::json::array();
  Result<std::shared_ptr<gpu::Device>> device = gpu::Device::make({.selector = settings.engine.device});
  if (!device) return json;
  for (const interop::HardwareListing& listing : interop::list_hardware(*std::move(device))) {
    json.push_back({{"name", listing.name}, {"usable", listing.reason.empty()}, {"reason", listing.reason}});
  }
  return json;
}

nlohmann::json machine_json(const cli::Settings& settings) {
  nlohmann::json json;
  json["cpu"] = {{"name", session::cpu_name()}, {"kernels", mapping::best_kernels().name}};
  json["gpus"] = nlohmann::json::array();
  for (const gpu::DeviceListing& device : gpu::list_devices()) {
    json["gpus"].push_back({{"index", device.index},
                            {"name", device.name},
                            {"kind", gpu::kind_name(device.kind)},
                            {"driver", device.driver},
                            {"uuid", device.uuid},
                            {"vulkan", device.api_version},
                            {"memory_mb", device.memory_bytes >> 20},
                            {"usable", device.score > 0},
                            {"reason", device.reason}});
  }
  json["hardware_decoders"] = hardware_json(settings);
  const media::MediaCapabilities media = media::capabilities();
  json["ffmpeg"] = {
      {"version", media.ffmpeg_version}, {"decoders", media.decoders}, {"encoders", media.encoders}};
  json["palettes"] = nlohmann::json::array();
  for (const mapping::NamedPalette& palette : mapping::named_palettes())
    json["palettes"].push_back(palette.name);
  json["charsets"] = nlohmann::json::array();
  for (const text::NamedCharset& charset : text::named_charsets()) {
    json["charsets"].push_back({{"name", charset.name}, {"description", charset.description}});
  }
  json["looks"] = nlohmann::json::array();
  for (const cli::Look& look : cli::looks())
    json["looks"].push_back({{"name", look.name}, {"description", look.help}});
  json["font"] = {{"name", settings.layout.font}};
  const Result<std::shared_ptr<const text::GlyphSet>> glyphs =
      session::make_glyphs(settings, settings.layout.cell);
  json["font"]["found"] = glyphs ? (*glyphs)->font_description() : glyphs.error().message;
  return json;
}

std::string shown(const nlohmann::json& text) {
  return printable(text.get<std::string>());
}

std::string joined(const nlohmann::json& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : " ") + shown(name);
  return text;
}

void print_machine(const nlohmann::json& json) {
  fmt::print("CPU       {} ({})\n", shown(json["cpu"]["name"]), shown(json["cpu"]["kernels"]));
  if (json["gpus"].empty())
    fmt::print("GPU       none: no Vulkan driver was found; install the GPU's driver\n");
  for (const auto& device : json["gpus"]) {
    const std::string reason = shown(device["reason"]);
    fmt::print("GPU {:<5} {} ({}, {}, Vulkan {}){}\n", device["index"].get<int>(), shown(device["name"]),
               shown(device["kind"]), shown(device["driver"]), shown(device["vulkan"]),
               reason.empty() ? "" : ": not usable, " + reason);
  }
  for (const auto& decoder : json["hardware_decoders"]) {
    const std::string reason = shown(decoder["reason"]);
    fmt::print("Hardware  {}: {}\n", shown(decoder["name"]), reason.empty() ? "can decode" : reason);
  }
  fmt::print("FFmpeg    {}\n", shown(json["ffmpeg"]["version"]));
  fmt::print("Decoders  {}\n", joined(json["ffmpeg"]["decoders"]));
  fmt::print("Encoders  {}\n", joined(json["ffmpeg"]["encoders"]));
  fmt::print("Font      {}\n", shown(json["font"]["found"]));
  fmt::print("Palettes  {}\n", joined(json["palettes"]));
  fmt::print("Charsets\n");
  for (const auto& charset : json["charsets"]) {
    fmt::print("  {:<12} {}\n", shown(charset["name"]), shown(charset["description"]));
  }
  fmt::print("Looks\n");
  for (const auto& look : json["looks"]) {
    fmt::print("  {:<12} {}\n", shown(look["name"]), shown(look["description"]));
  }
}

/// Lists the files whose positions --save-position has saved. The file that was played last comes first.
nlohmann::json recent_json() {
  nlohmann::json json;
  json["recent"] = nlohmann::json::array();
  for (const session::RecentFile& file : session::load_recent_files()) {
    json["recent"].push_back({{"path", file.path}, {"seconds", file.seconds}});
  }
  return json;
}

void print_recent() {
  for (const session::RecentFile& file : session::load_recent_files()) {
    fmt::print("{:>8}  {}\n", player::clock_text(file.seconds, file.seconds), printable(file.path));
  }
}

}  // namespace

Result<int> run_info(const cli::Settings& settings) {
  if (settings.glyphs.charset_given) {
    if (!settings.inputs.empty()) {
      return Error{ErrorCode::Usage,
                   "'glyphreel info' takes either --charset or an INPUT: give one of them."};
    }
    TRY(show_charset(settings));
    return EXIT_SUCCESS;
  }
  nlohmann::json json;
  if (settings.report.recent) {
    if (!settings.inputs.empty())
      return Error{ErrorCode::Usage, "'glyphreel info' takes either --recent or an INPUT: give one of them."};
    json = recent_json();
    if (!settings.report.json) print_recent();
  } else if (settings.inputs.empty()) {
    json = machine_json(settings);
    if (!settings.report.json) print_machine(json);
  } else {
    std::string url = settings.inputs.front();
    if (url == "demo:") {
      TRY_ASSIGN(url, cli::find_asset("demo.mp4"));
    }
    TRY_ASSIGN(const media::InputListing listing, media::list_input(url));
    json = input_json(listing);
    if (!settings.report.json) fmt::print("{}", input_text(listing));
  }
  if (settings.report.json) std::puts(session::json_text(json).c_str());
  return EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
