#include "commands/report_page.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "commands/report_plots.h"

namespace glyphreel::commands {
namespace {

constexpr std::string_view Style = R"css(
:root {
  color-scheme: dark;
  --ground: #0c0f14; --card: #141922; --edge: #232b38; --text: #e4e9f1; --dim: #8d99ab;
  --gpu: #4cc9b8; --cpu: #f2a65a; --both: #8fa3c4; --good: #56d38a; --bad: #ff6b6b;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.55 system-ui, "DejaVu Sans", sans-serif;
       font-variant-numeric: tabular-nums; }
main { max-width: 1240px; margin: 0 auto; padding: 56px 24px 72px; }
h1 { margin: 6px 0 14px; font-size: clamp(24px, 4vw, 38px); line-height: 1.2; font-weight: 650; letter-spacing: -.01em;
     overflow-wrap: anywhere; }
h2 { margin: 60px 0 16px; font-size: 20px; font-weight: 620; }
h3 { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: baseline; margin: 30px 0 10px; font-size: 15px;
     font-weight: 600; }
p { margin: 0 0 14px; }
code, .mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
.eyebrow { color: var(--dim); font-size: 12px; letter-spacing: .14em; text-transform: uppercase; }
.dim, .note { color: var(--dim); }
.note { font-size: 14px; max-width: 76ch; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 26px; margin: 0 0 22px; padding: 0; list-style: none; }
.legend li::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 9px;
                     border-radius: 3px; background: var(--dot); }
.gpu { --dot: var(--gpu); } .cpu { --dot: var(--cpu); } .both { --dot: var(--both); }
.verdict { display: inline-block; padding: 10px 18px; border: 1px solid; border-radius: 10px; font-size: 19px;
           font-weight: 620; }
.good { color: var(--good); } .bad { color: var(--bad); } .none { color: var(--dim); }
.verdict.good { background: #56d38a14; border-color: #56d38a55; }
.verdict.bad { background: #ff6b6b14; border-color: #ff6b6b55; }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 12px; }
.facts { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px; margin: 30px 0 0; overflow: hidden;
         background: var(--edge); }
.facts div { padding: 15px 20px 13px; background: var(--card); }
.facts dt { color: var(--dim); font-size: 13px; }
.facts dd { margin: 1px 0 0; font-size: 23px; font-weight: 600; }
.facts small { margin-left: 4px; color: var(--dim); font-size: 14px; font-weight: 400; }
.mismatch { display: flex; flex-wrap: wrap; gap: 18px 44px; padding: 20px 24px; }
.mismatch h3 { margin: 0 0 8px; }
.swatch { display: inline-block; width: 13px; height: 13px; margin: 0 6px 0 2px; border: 1px solid #ffffff40;
          border-radius: 3px; vertical-align: -2px; }
.zoom { margin-top: 12px; border: 1px solid var(--edge); border-radius: 6px; image-rendering: pixelated;
        background-repeat: no-repeat; position: relative; max-width: 100%; overflow: hidden; }
.zoom i { position: absolute; outline: 2px solid var(--bad); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(270px, 1fr)); gap: 14px; }
figure { margin: 0; overflow: hidden; }
figure a { display: block; background: #000; }
figure img { display: block; width: 100%; height: auto; }
figcaption { display: flex; justify-content: space-between; gap: 12px; padding: 8px 14px 9px; font-size: 13px;
             color: var(--dim); }
figcaption b { color: var(--dot, var(--text)); font-weight: 600; }
.plot { padding: 20px 18px 12px; overflow-x: auto; }
svg { display: block; width: 100%; min-width: 620px; height: auto; }
svg text { fill: var(--dim); font-size: 13px; }
svg .stage { fill: var(--text); font-size: 14px; }
svg .value { fill: var(--text); }
svg .dim { fill: var(--dim); }
svg .grid { stroke: var(--edge); }
svg .bar { fill: var(--dot); }
svg .tail { fill: var(--dot); opacity: .32; }
svg .band { fill: var(--dot); opacity: .2; }
svg .line { fill: none; stroke: var(--dot); stroke-width: 2; stroke-linejoin: round; }
@media (max-width: 900px) { main { padding-top: 32px; } .facts { grid-template-columns: repeat(2, 1fr); } }
footer { margin-top: 60px; color: var(--dim); font-size: 13px; }
)css";

/// Formats 48240000 as 48,240,000.
std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > (number < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string counted(std::int64_t number, const char* unit) {
  return fmt::format("{} {}{}", grouped(number), unit, number == 1 ? "" : "s");
}

/// Returns the median mapping plus median drawing time of a frame; 0 if none was timed.
double frame_ms(const StageTimes* times) {
  return times == nullptr ? 0 : times->summary(Stage::Map).p50_ms + times->summary(Stage::Draw).p50_ms;
}

std::string legend(const Report::Summary& summary) {
  return fmt::format(R"(<ul class="legend"><li class="gpu">{}</li><li class="cpu">{}</li></ul>)",
                     escape_html(summary.gpu), escape_html(summary.cpu));
}

std::string verdict(const Comparison& comparison) {
  if (comparison.frames == 0) return R"(<p class="verdict none">No frame was compared</p>)";
  const bool equal = comparison.mismatched_cells == 0 && comparison.mismatched_pixels == 0;
  std::string text =
      fmt::format("{} of {} differ", grouped(comparison.mismatched_cells), counted(comparison.cells, "cell"));
  if (comparison.mismatched_cells == 0 && !equal) {
    text += fmt::format(", but {} {}", counted(comparison.mismatched_pixels, "pixel"),
                        comparison.mismatched_pixels == 1 ? "does" : "do");
  }
  return fmt::format(R"(<p class="verdict {}">{}</p>)", equal ? "good" : "bad", text);
}

std::string facts(const Report::Summary& summary) {
  const Comparison& comparison = *summary.comparison;
  const double gpu_ms = frame_ms(summary.gpu_times);
  const double cpu_ms = frame_ms(summary.cpu_times);
  std::string html = R"(<dl class="facts card">)";
  const auto add = [&](const char* name, const std::string& value, const char* unit = "",
                       const char* style = "") {
    fmt::format_to(std::back_inserter(html),
                   R"(<div><dt>{}</dt><dd class="{}">{}<small>{}</small></dd></div>)", name, style, value,
                   unit);
  };
  const auto judged = [](std::int64_t differences) { return differences == 0 ? "" : "bad"; };
  const auto timed = [](double ms) { return ms > 0 ? fmt::format("{:.2f}", ms) : std::string("–"); };
  add("Frames", grouped(comparison.frames));
  add("Cells", grouped(comparison.cells));
  add("Mismatched cells", grouped(comparison.mismatched_cells), "", judged(comparison.mismatched_cells));
  add("Mismatched pixels", grouped(comparison.mismatched_pixels), "", judged(comparison.mismatched_pixels));
  add("Maximum pixel difference", grouped(comparison.max_pixel_difference), "of 255",
      judged(comparison.max_pixel_difference));
  add("GPU, map and draw", timed(gpu_ms), "ms, median");
  add("CPU, map and draw", timed(cpu_ms), "ms, median");
  add("Speed-up", gpu_ms > 0 && cpu_ms > 0 ? fmt::format("{:.2f}×", cpu_ms / gpu_ms) : "–", "CPU / GPU");
  return html + "</dl>";
}

std::string color_html(const char* name, std::uint32_t word) {
  return fmt::format(R"(<span class="swatch" style="background:#{0:06X}"></span>{1} <code>#{0:06X}</code>)",
                     word & 0xFFFFFF, name);
}

/// Shows the mismatched cell and its neighbors, enlarged; the page itself crops them from a frame's PNG
/// file.
std::string zoom(const ShownFrame& frame, const CellMismatch& mismatch, const std::string& file) {
  constexpr int CellsAround = 2;
  constexpr int Aim = 300;  // width of the crop in CSS pixels
  const int cell_width = std::max(1, frame.size.width / frame.grid.columns);
  const int cell_height = std::max(1, frame.size.height / frame.grid.rows);
  const int left = std::max(0, mismatch.column - CellsAround);
  const int top = std::max(0, mismatch.row - 1);
  const int columns = std::min(frame.grid.columns, mismatch.column + CellsAround + 1) - left;
  const int rows = std::min(frame.grid.rows, mismatch.row + 2) - top;
  const int scale = std::max(1, Aim / (columns * cell_width));
  return fmt::format(
      R"(<div class="zoom" style="width:{}px;height:{}px;background-image:url({});background-size:{}px {}px;)"
      R"(background-position:-{}px -{}px"><i style="left:{}px;top:{}px;width:{}px;height:{}px"></i></div>)",
      columns * cell_width * scale, rows * cell_height * scale, file, frame.size.width * scale,
      frame.size.height * scale, left * cell_width * scale, top * cell_height * scale,
      (mismatch.column - left) * cell_width * scale, (mismatch.row - top) * cell_height * scale,
      cell_width * scale, cell_height * scale);
}

std::string first_mismatch(const Report::Summary& summary, std::span<const ShownFrame> frames) {
  if (!summary.comparison->first_mismatch) return {};
  const CellMismatch& mismatch = *summary.comparison->first_mismatch;
  const auto shown = std::find_if(frames.begin(), frames.end(),
                                  [&](const ShownFrame& frame) { return frame.index == mismatch.frame; });
  std::string html = fmt::format(
      R"(<h2>First mismatch</h2><p>Frame {}, column {}, row {} (all counted from 0)</p><div class="mismatch card">)",
      mismatch.frame, mismatch.column, mismatch.row);
  const auto side = [&](const char* who, const render::Cell& cell, std::string ShownFrame::*file) {
    std::string character;
    if (summary.glyphs != nullptr && cell.glyph < static_cast<std::uint32_t>(summary.glyphs->size())) {
      character =
          fmt::format(" “<code>{}</code>”", escape_html(summary.glyphs->utf8(static_cast<int>(cell.glyph))));
    }
    fmt::format_to(std::back_inserter(html), "<div><h3>{}</h3>glyph {}{}<br>{}<br>{}{}</div>", who,
                   cell.glyph, character, color_html("ink", cell.foreground),
                   color_html("paper", cell.background),
                   shown != frames.end() ? zoom(*shown, mismatch, (*shown).*file) : std::string());
  };
  side("GPU", mismatch.gpu, &ShownFrame::gpu_file);
  side("CPU", mismatch.cpu, &ShownFrame::cpu_file);
  if (shown != frames.end()) {
    html += "<div><h3>Difference</h3>of the pixels,<br>with the surrounding cells,<br>enlarged" +
            zoom(*shown, mismatch, shown->difference_file) + "</div>";
  }
  return html + "</div>";
}

std::string figure(const ShownFrame& frame, const std::string& file, const char* style, const char* name,
                   const std::string& note) {
  return fmt::format(
      R"(<figure class="card {0}"><a href="{1}"><img src="{1}" width="{2}" height="{3}" loading="lazy" )"
      R"(alt="{4} of frame {5}"></a><figcaption><b>{4}</b><span>{6}</span></figcaption></figure>)",
      style, file, frame.size.width, frame.size.height, name, frame.index, note);
}

std::string frames_html(std::span<const ShownFrame> frames) {
  if (frames.empty()) return {};
  std::string html =
      "<h2>Frames</h2><p class=\"note\">In the difference picture, mismatched cells are dark red; their "
      "pixels range from orange (a difference of 1) to white (16 or more). Matching cells are black. Click a "
      "picture to open it at full size.</p>";
  for (const ShownFrame& frame : frames) {
    const bool equal = frame.mismatched_cells == 0 && frame.mismatched_pixels == 0;
    const std::string difference =
        equal ? std::string("equal")
              : fmt::format("{} and {} differ, by up to {}", counted(frame.mismatched_cells, "cell"),
                            counted(frame.mismatched_pixels, "pixel"), frame.max_pixel_difference);
    const std::string size = fmt::format("{} × {}", frame.size.width, frame.size.height);
    fmt::format_to(std::back_inserter(html),
                   R"(<h3>Frame {}<span class="{}">{}</span></h3><div class="pictures">)",
                   grouped(frame.index), equal ? "good" : "bad", difference);
    html += figure(frame, frame.gpu_file, "gpu", "GPU", size);
    html += figure(frame, frame.cpu_file, "cpu", "CPU", size);
    html += figure(frame, frame.difference_file, "", "Difference", equal ? "none" : "amplified 16×");
    html += "</div>";
  }
  return html;
}

std::string timings(const Report::Summary& summary) {
  std::string html;
  const std::string stages = stage_plot(summary.gpu_times, summary.cpu_times);
  if (!stages.empty()) {
    html +=
        "<h2>Time per stage</h2><p class=\"note\">Milliseconds per frame: the mean in full color, the 99th "
        "percentile behind it. Frames are decoded once for both renderers.</p>" +
        legend(summary) + "<div class=\"plot card\">" + stages + "</div>";
  }
  const std::string per_frame = frame_plot(summary.gpu_times, summary.cpu_times);
  if (!per_frame.empty()) {
    html +=
        "<h2>Time per frame</h2><p class=\"note\">Time to map and draw each frame, on a logarithmic scale. "
        "If one point covers many frames, the line shows their mean and the band spans from the fastest to "
        "the slowest.</p>" +
        legend(summary) + "<div class=\"plot card\">" + per_frame + "</div>";
  }
  return html;
}

}  // namespace

std::string report_page(const Report::Summary& summary, std::span<const ShownFrame> frames) {
  CHECK(summary.comparison != nullptr, "a report needs a comparison");
  const std::string title = escape_html(summary.title);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<title>" + title + ": GPU against CPU</title>\n<style>";
  html += Style;
  html += "</style>\n</head>\n<body>\n<main>\n<header><div class=\"eyebrow\">GPU against CPU</div><h1>" +
          title + "</h1>\n";
  html += legend(summary) + verdict(*summary.comparison) + "</header>\n";
  html += facts(summary) + "\n" + first_mismatch(summary, frames) + "\n" + frames_html(frames) + "\n" +
          timings(summary);
  html += "\n<footer>Written by glyphreel compare.</footer>\n</main>\n</body>\n</html>\n";
  return html;
}

}  // namespace glyphreel::commands
