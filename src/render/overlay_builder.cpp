#include "render/overlay_builder.h"

#include <algorithm>
#include <utility>

#include "base/io/log.h"
#include "base/threads/thread.h"
#include "text/code_points/unicode.h"

namespace glyphreel::render {
namespace {

constexpr unsigned Bold = 1;
constexpr unsigned Italic = 2;
constexpr std::uint32_t Space = 0;  // glyph of the space, which also replaces missing glyphs
constexpr char32_t Replacement = 0xFFFD;
/// The glyph cache is cleared when it has more glyphs than this. An hour of subtitles has fewer glyphs.
constexpr int MaxGlyphs = 8192;

/// Returns the characters of on-screen text in Western languages, which are drawn up front; all others are
/// drawn on demand. Some characters occur twice.
std::u32string base_characters() {
  std::u32string characters;
  const auto add_range = [&](char32_t first, char32_t last) {
    for (char32_t c = first; c <= last; ++c) characters += c;
  };
  add_range(U' ', U'~');
  add_range(0xA0, 0xAC);  // U+00AD is the soft hyphen
  add_range(0xAE, 0xFF);
  add_range(0x2500, 0x259F);  // box drawing, blocks
  return characters + U"–—‘’“”„†•…‹›€™←↑→↓↔↕−×▲▶▼◀●○◆♪♫✓✗\uFFFD";
}

/// Tall wide characters of Japanese, Chinese and Korean, drawn with every batch that has wide characters.
/// They make all batches look alike: fontconfig prefers one font that has all of these characters, so it
/// chooses the same font for all batches. The tallest of these characters limits the size of all wide glyphs.
constexpr std::u32string_view WideCompanions = U"ば龜盛亀们說뷁훓쪫";

std::string utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t c : characters) text += text::encode_utf8(c);
  return text;
}

/// Returns the fontconfig pattern of the font's bold or italic face.
std::string styled(const std::string& font, unsigned style) {
  return font + ((style & Bold) != 0 ? ":bold" : "") + ((style & Italic) != 0 ? ":italic" : "");
}

unsigned style_of(const TextCell& cell) {
  return (cell.bold ? Bold : 0) | (cell.italic ? Italic : 0);
}

/// Merges the layers for this grid, the last one on top. Ignores layers for other grids.
std::vector<TextCell> merged(GridSize grid, std::span<const TextLayer> layers) {
  std::vector<TextCell> text(static_cast<std::size_t>(grid.cells()));
  for (const TextLayer& layer : layers) {
    if (layer.grid != grid || layer.cells.size() != text.size()) continue;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (layer.cells[i].character != 0) text[i] = layer.cells[i];
    }
  }
  return text;
}

}  // namespace

void OverlayBuilder::set_font(const std::string& font, CellSize cell) {
  if (font == font_ && cell == cell_) return;
  font_ = font;
  cell_ = cell;
  clear();
}

void OverlayBuilder::clear() {
  glyphs_.reset();
  glyph_of_.clear();
  based_ = 0;
  requested_.clear();
  is_stale_ = true;
  loading_is_stale_ = true;
}

void OverlayBuilder::draw(const std::string& font, CellSize cell, Batch& batch) {
  // Every batch includes base_characters(), so that all batches have the same baseline and size.
  std::u32string characters = base_characters() + batch.characters;
  if (std::ranges::any_of(batch.characters, text::is_wide)) characters += WideCompanions;
  text::GlyphSetOptions options{
      .font = styled(font, batch.style),
      .cell = cell,
      .characters = utf8(characters),
      .missing = batch.characters.empty() ? text::Missing::NoFallback : text::Missing::LeaveOut};
  for (const std::string& name : {options.font, font, std::string("monospace")}) {
    options.font = name;
    auto set = text::GlyphSet::make(options);
    if (set) {
      batch.set = *std::move(set);
      return;
    }
    log::debug("overlay text: {}", set.error().message);
  }
}

void OverlayBuilder::add(const Batch& batch) {
  auto grown = glyphs_ ? std::make_shared<OverlayGlyphs>(*glyphs_) : std::make_shared<OverlayGlyphs>();
  const std::size_t mask_bytes =
      static_cast<std::size_t>(cell_.width) * static_cast<std::size_t>(cell_.height);
  grown->cell = cell_;
  // Glyph 0 is the space, which replaces all other characters if there is no font.
  if (grown->utf8.empty()) {
    grown->masks.assign(mask_bytes, 0);
    grown->utf8.emplace_back(" ");
    grown->code_points.push_back(U' ');
    grown->columns.push_back(text::GlyphColumns::Narrow);
  }
  glyph_of_.emplace(key(U' ', batch.style), Space);
  for (int i = 0; batch.set && i < batch.set->size(); ++i) {
    const text::GlyphColumns columns = batch.set->columns(i);
    if (columns == text::GlyphColumns::WideRight) continue;
    const char32_t character = batch.set->code_points()[static_cast<std::size_t>(i)];
    if (!glyph_of_.emplace(key(character, batch.style), static_cast<std::uint32_t>(grown->size())).second)
      continue;
    for (int half = 0; half < (columns == text::GlyphColumns::Narrow ? 1 : 2); ++half) {
      const auto mask = batch.set->masks().begin() +
                        static_cast<std::ptrdiff_t>(i + half) * static_cast<std::ptrdiff_t>(mask_bytes);
      grown->masks.insert(grown->masks.end(), mask, mask + static_cast<std::ptrdiff_t>(mask_bytes));
      grown->utf8.push_back(batch.set->utf8(i + half));
      grown->code_points.push_back(batch.set->code_points()[static_cast<std::size_t>(i + half)]);
      grown->columns.push_back(batch.set->columns(i + half));
    }
  }
  // No font has the requested characters that are still missing, so they get a replacement glyph.
  const std::uint32_t replacement = glyph(Replacement, batch.style);
  const std::uint32_t stand_in = replacement != Space ? replacement : glyph(U'?', batch.style);
  for (const char32_t c : batch.characters) glyph_of_.emplace(key(c, batch.style), stand_in);
  glyphs_ = std::move(grown);
  is_stale_ = true;
}

void OverlayBuilder::draw_base(Style style) {
  if ((based_ >> style & 1) != 0) return;
  based_ |= 1u << style;
  Batch batch{.style = style};
  draw(font_, cell_, batch);
  add(batch);
}

void OverlayBuilder::request(char32_t character, Style style) {
  draw_base(style);
  if (knows(character, style)) return;
  if (text::cell_fitness(character) != text::CellFitness::Fits) {
    // Control and combining characters have no glyph that fills a cell.
    glyph_of_.emplace(key(character, style), glyph(Replacement, style));
    return;
  }
  std::u32string& requested = requested_[style];
  if (requested.find(character) == std::u32string::npos) requested += character;
}

void OverlayBuilder::load(bool wait) {
  for (const auto& [style, characters] : requested_) {
    Batch batch{.style = style, .characters = characters};
    std::erase_if(batch.characters, [&](char32_t c) { return knows(c, batch.style); });
    if (batch.characters.empty()) continue;
    if (!wait) {
      if (!loading_) start(std::move(batch));  // `requested_` keeps the characters until they are loaded
      return;
    }
    draw(font_, cell_, batch);
    add(batch);
  }
  requested_.clear();
}

/// Starts the loading thread. If the thread cannot be started, the next load() tries again.
void OverlayBuilder::start(Batch batch) {
  const auto body = [this, font = font_, cell = cell_, requested = std::move(batch)](const std::stop_token&) {
    Batch drawn = requested;
    static_cast<void>(catching([&]() -> Result<void> {
      draw(font, cell, drawn);
      return {};
    }));
    {
      const MutexLock lock(mutex_);
      loaded_ = std::move(drawn);
    }
    if (options_.on_loaded) options_.on_loaded();
  };
  Result<std::jthread> started = start_thread("text glyphs", body);
  if (!started) return;
  thread_ = *std::move(started);
  loading_ = true;
  loading_is_stale_ = false;
}

void OverlayBuilder::add_loaded() {
  if (!loading_) return;
  std::optional<Batch> batch;
  {
    const MutexLock lock(mutex_);
    batch = std::exchange(loaded_, std::nullopt);
  }
  if (!batch) return;
  thread_.join();
  loading_ = false;
  if (!loading_is_stale_) add(*batch);
  load(false);
}

std::uint32_t OverlayBuilder::glyph(char32_t character, Style style) const {
  const auto found = glyph_of_.find(key(character, style));
  return found != glyph_of_.end() ? found->second : Space;
}

void OverlayBuilder::resolve(const std::vector<TextCell>& text, GridSize grid,
                             std::vector<OverlayCell>& cells) {
  const auto set = [&](std::size_t i, std::uint32_t glyph) {
    cells[i] = {.glyph = glyph,
                .foreground = 0xFF000000u | text[i].foreground,
                .background = std::uint32_t{text[i].opacity} << 24 | (text[i].background & 0xFFFFFFu)};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t character = text[i].character;
    if (character == 0) continue;
    const bool is_last = static_cast<int>(i) % grid.columns == grid.columns - 1;
    const bool has_right = !is_last && text[i + 1].character == TextCell::WideRight;
    // Half of a wide character becomes a blank if the other half is missing.
    if (character == TextCell::WideRight || (text::is_wide(character) && !has_right)) {
      set(i, Space);
      continue;
    }
    const std::uint32_t drawn = glyph(character, style_of(text[i]));
    set(i, drawn);
    if (glyphs_->columns[drawn] == text::GlyphColumns::WideLeft) set(++i, drawn + 1);
  }
}

std::shared_ptr<const Overlay> OverlayBuilder::make(GridSize grid, std::span<const TextLayer> layers) {
  add_loaded();
  if (!is_stale_ && grid == grid_ && std::ranges::equal(layers, layers_)) return made_;
  grid_ = grid;
  layers_.assign(layers.begin(), layers.end());
  made_.reset();
  is_stale_ = false;
  const std::vector<TextCell> text = merged(grid, layers);
  if (std::ranges::all_of(text, [](const TextCell& cell) { return cell.character == 0; })) return nullptr;

  const bool is_full = glyphs_ && glyphs_->size() > MaxGlyphs;
  if (is_full) clear();
  draw_base(0);
  for (const TextCell& cell : text) {
    if (cell.character == 0 || cell.character == TextCell::WideRight) continue;
    request(cell.character, style_of(cell));
  }
  load(is_full || options_.loading == Loading::Wait);
  is_stale_ = false;

  auto overlay = std::make_shared<Overlay>();
  overlay->grid = grid;
  overlay->cells.resize(text.size(),
                        {.glyph = mapping::shared::OverlayNone, .foreground = 0, .background = 0});
  overlay->glyphs = glyphs_;
  resolve(text, grid, overlay->cells);
  made_ = std::move(overlay);
  return made_;
}

}  // namespace glyphreel::render
