#include "batch/figures_text.h"

#include <cstdint>

#include <nlohmann/json.hpp>

#include "base/threads/stage_times.h"

namespace glyphreel::batch {

std::string figures_text(const Figures& figures) {
  nlohmann::json stages = nlohmann::json::object();
  for (std::size_t i = 0; i < StageCount; ++i) {
    if (figures.stage_ms[i] > 0) stages[stage_name(static_cast<Stage>(i))] = figures.stage_ms[i];
  }
  nlohmann::json json{{"frames", figures.frames},   {"bytes", figures.bytes}, {"damaged", figures.damaged},
                      {"wall_s", figures.wall_s},   {"luma", figures.luma},   {"edges", figures.edges},
                      {"flicker", figures.flicker}, {"stage_ms", stages}};
  if (figures.ssim) json["ssim"] = *figures.ssim;
  return json.dump();
}

Figures figures_of(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  const auto number = [](const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  Figures figures{.frames = static_cast<std::int64_t>(number(json, "frames")),
                  .bytes = static_cast<std::int64_t>(number(json, "bytes")),
                  .damaged = static_cast<std::int64_t>(number(json, "damaged")),
                  .wall_s = number(json, "wall_s"),
                  .luma = number(json, "luma"),
                  .edges = number(json, "edges"),
                  .flicker = number(json, "flicker")};
  if (json.contains("ssim")) figures.ssim = number(json, "ssim");
  const auto stages = json.find("stage_ms");
  for (std::size_t i = 0; stages != json.end() && stages->is_object() && i < StageCount; ++i)
    figures.stage_ms[i] = number(*stages, stage_name(static_cast<Stage>(i)));
  return figures;
}

}  // namespace glyphreel::batch
