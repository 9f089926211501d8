#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/geometry.h"
#include "base/mutex.h"
#include "render/overlay.h"
#include "render/text_layer.h"

namespace glyphreel::render {

/// Builds overlays from text layers, with glyphs that it draws and caches. The first make() that has
/// text draws the characters of Western languages; all others are drawn on first use. Never fails: a
/// character that no font has becomes U+FFFD or a question mark. Thread-safety: one thread at a time.
class OverlayBuilder {
 public:
  /// What to do with characters that the font lacks: searching other fonts may take a long time.
  enum class Loading {
    Wait,        ///< make() searches other fonts before it returns
    Background,  ///< another thread searches; until it is done, make() shows blanks
  };
  struct Options {
    Loading loading = Loading::Background;
    /// Called on the loading thread when characters are loaded. The callback should only wake the thread that
    /// uses the OverlayBuilder; that thread then calls make() again.
    std::function<void()> on_loaded;
  };
  explicit OverlayBuilder(Options options) : options_(std::move(options)) {}

  /// Sets the font (as in text::GlyphSetOptions) and the cell size of the picture's glyph set. If either
  /// has changed, the next make() redraws all glyphs.
  void set_font(const std::string& font, CellSize cell);

  /// Returns the overlay for `grid` with all layers merged, the last one on top; null if there is no text.
  /// Ignores layers for other grids. Returns the same pointer as the last call if nothing has changed. Call
  /// set_font() first.
  [[nodiscard]] std::shared_ptr<const Overlay> make(GridSize grid, std::span<const TextLayer> layers);

 private:
  /// Bit set of bold and italic.
  using Style = unsigned;
  struct Batch {
    Style style = 0;
    /// Characters to draw from any installed font, in addition to base_characters(); may be empty.
    std::u32string characters;
    std::shared_ptr<const text::GlyphSet> set;  ///< the drawn glyphs; null if nothing could be drawn
  };

  [[nodiscard]] static std::uint64_t key(char32_t character, Style style) {
    return std::uint64_t{style} << 32 | character;
  }
  /// Removes all glyphs.
  void clear();
  /// Draws the glyphs of a batch into batch.set. Thread-safety: any thread.
  static void draw(const std::string& font, CellSize cell, Batch& batch);
  void add(const Batch& batch);
  /// Draws the requested characters that are missing: in this call if `wait`, else on the loading thread.
  void load(bool wait);
  void start(Batch batch);
  /// If the loading thread is done, adds its glyphs and starts the next batch.
  void add_loaded();
  void request(char32_t character, Style style);
  void draw_base(Style style);
  [[nodiscard]] bool knows(char32_t character, Style style) const {
    return glyph_of_.contains(key(character, style));
  }
  [[nodiscard]] std::uint32_t glyph(char32_t character, Style style) const;
  void resolve(const std::vector<TextCell>& text, GridSize grid, std::vector<OverlayCell>& cells);

  const Options options_;
  std::string font_;
  CellSize cell_;

  std::shared_ptr<const OverlayGlyphs> glyphs_;  ///< null if nothing is drawn yet
  /// Glyph indices by key(); the left half for a wide character.
  std::unordered_map<std::uint64_t, std::uint32_t> glyph_of_;
  unsigned based_ = 0;                                   ///< bit s: base_characters() of style s are drawn
  std::unordered_map<Style, std::u32string> requested_;  ///< characters that are requested but not drawn yet

  // Arguments and result of the last make().
  GridSize grid_;
  std::vector<TextLayer> layers_;
  std::shared_ptr<const Overlay> made_;
  bool is_stale_ = true;  ///< glyphs have changed since the last make()

  bool loading_ = false;
  bool loading_is_stale_ = false;  ///< clear() was called since the load in progress began
  Mutex mutex_;
  std::optional<Batch> loaded_ GUARDED_BY(mutex_);
  std::jthread thread_;  ///< last member, so that it is joined before other members are destroyed
};

}  // namespace glyphreel::render
