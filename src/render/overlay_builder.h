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

/// Builds overlays from text layers, with glyphs that it draws and caches: the letters, signs and lines of
/// western text up front, all others on first use. Nothing here is an error: a character that no font has
/// becomes U+FFFD or a question mark.
/// Thread-safety: one thread at a time.
class OverlayBuilder {
 public:
  /// What happens with characters that must be looked up in other fonts, which may take long.
  enum class Loading {
    Wait,        ///< make() waits for them
    Background,  ///< another thread looks them up, and make() shows blanks meanwhile
  };
  struct Options {
    Loading loading = Loading::Background;
    /// Called on the loading thread once characters are loaded, so that make() is called again; only a
    /// wake-up.
    std::function<void()> on_loaded;
  };
  explicit OverlayBuilder(Options options) : options_(std::move(options)) {}

  /// Sets the font (as in text::GlyphSetOptions) and the cell size of the picture's glyph set. Does nothing
  /// if both are unchanged; otherwise the next make() redraws all glyphs.
  void set_font(const std::string& font, CellSize cell);

  /// Returns the overlay for `grid` with all layers stacked, the last one on top; layers for other grids
  /// are skipped. Null if there is no text; the same pointer as last time if nothing has changed. Call
  /// set_font() first.
  [[nodiscard]] std::shared_ptr<const Overlay> make(GridSize grid, std::span<const TextLayer> layers);

 private:
  /// Bits for bold and italic.
  using Style = unsigned;
  struct Batch {
    Style style = 0;
    std::u32string characters;  ///< requested, so looked up in all fonts; empty: only the base set
    std::shared_ptr<const text::GlyphSet> set;  ///< drawn; null: nothing could be drawn
  };

  [[nodiscard]] static std::uint64_t key(char32_t character, Style style) {
    return std::uint64_t{style} << 32 | character;
  }
  /// Forgets all glyphs.
  void clear();
  /// Any thread.
  static void draw(const std::string& font, CellSize cell, Batch& batch);
  void add(const Batch& batch);
  /// Draws requested characters that are missing, or starts to.
  void load(bool wait);
  void start(Batch batch);
  /// Adds what the thread has drawn, if it is done, and starts the next batch.
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

  std::shared_ptr<const OverlayGlyphs> glyphs_;                ///< null: nothing is drawn yet
  std::unordered_map<std::uint64_t, std::uint32_t> glyph_of_;  ///< by key(); the left half for a wide one
  unsigned based_ = 0;                                         ///< one bit per style: its base set is drawn
  std::unordered_map<Style, std::u32string> requested_;        ///< requested, not drawn yet

  GridSize grid_;  ///< these three: from the last make()
  std::vector<TextLayer> layers_;
  std::shared_ptr<const Overlay> made_;
  bool is_stale_ = true;  ///< glyphs have changed since

  bool loading_ = false;
  bool loading_is_stale_ = false;  ///< the load in progress is for another font or size
  Mutex mutex_;
  std::optional<Batch> loaded_ GUARDED_BY(mutex_);
  std::jthread thread_;  ///< last: the destructor waits for the load in progress
};

}  // namespace glyphreel::render
