#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/geometry.h"
#include "base/thread_annotations.h"
#include "render/overlay.h"
#include "render/text_layer.h"

namespace glyphreel::render {

/// Makes overlays of text layers, with glyphs that it draws and keeps: the letters, signs and lines of
/// western text at once, all others when they are first asked for. Nothing is an error here: a character that
/// no font has becomes U+FFFD or a question mark. Thread-safety: one thread at a time.
class OverlayMaker {
 public:
  /// What becomes of characters that must be looked for in other fonts, which may take long.
  enum class Loading {
    Wait,        ///< make() waits for them
    Background,  ///< they are looked for on another thread, and make() shows blanks for them meanwhile
  };
  struct Options {
    Loading loading = Loading::Background;
    /// Called on the loading thread once characters are there, so that make() is called again; a wake-up and
    /// no more.
    std::function<void()> on_loaded;
  };
  explicit OverlayMaker(Options options);
  /// Waits for the load under way.
  ~OverlayMaker();
  OverlayMaker(const OverlayMaker&) = delete;
  OverlayMaker& operator=(const OverlayMaker&) = delete;

  /// The font (as text::GlyphSetOptions has it) and the cells of the picture's glyph set. Nothing happens
  /// where both are as before; otherwise all glyphs are drawn anew by the next make().
  void set_font(const std::string& font, CellSize cell);

  /// What lies over `grid` with all layers upon each other, the last one on top; layers for other grids are
  /// left out. Null where there is no text. The same pointer as last time where nothing has changed. After
  /// set_font().
  [[nodiscard]] std::shared_ptr<const Overlay> make(GridSize grid, std::span<const TextLayer> layers);

  /// Looks for characters that will be shown soon, such as the next subtitle's, ahead of make().
  void expect(std::u32string_view characters, bool bold = false, bool italic = false);

  /// Blanks stand for characters that are being looked for: make() is to be called again, with the same
  /// layers.
  [[nodiscard]] bool is_loading() const { return loading_; }

 private:
  /// Bold and italic as bits.
  using Style = unsigned;
  struct Batch {
    Style style = 0;
    std::u32string characters;  ///< asked for
    bool with_fallbacks = false;
    std::shared_ptr<const text::GlyphSet> set;  ///< drawn; null: nothing could be
  };

  [[nodiscard]] static std::uint64_t key(char32_t character, Style style) {
    return std::uint64_t{style} << 32 | character;
  }
  /// Any thread.
  static void draw(const std::string& font, CellSize cell, Batch& batch);
  void add(const Batch& batch);
  /// Draws what is asked for and not there yet, or starts to.
  void load(bool wait);
  void start(Batch batch);
  /// Adds what the thread has drawn, if it has; starts the next.
  void take_loaded();
  void ask_for(char32_t character, Style style);
  void draw_base(Style style);
  [[nodiscard]] bool knows(char32_t character, Style style) const {
    return glyph_of_.contains(key(character, style));
  }
  [[nodiscard]] std::uint32_t glyph(char32_t character, Style style) const;
  [[nodiscard]] std::vector<TextCell> merged(GridSize grid, std::span<const TextLayer> layers) const;
  void resolve(const std::vector<TextCell>& text, GridSize grid, std::vector<OverlayCell>& cells);

  const Options options_;
  std::string font_;
  CellSize cell_;

  std::shared_ptr<const OverlayGlyphs> glyphs_;                ///< null: nothing is drawn yet
  std::unordered_map<std::uint64_t, std::uint32_t> glyph_of_;  ///< by key(); the left half of a wide one
  unsigned based_ = 0;                                         ///< bit by style: its base set is drawn
  std::unordered_map<Style, std::u32string> asked_;            ///< not drawn yet

  GridSize grid_;  ///< these three: of the last make()
  std::vector<TextLayer> layers_;
  std::shared_ptr<const Overlay> made_;
  bool is_stale_ = true;  ///< glyphs have come since

  bool loading_ = false;
  bool loading_is_stale_ = false;  ///< what comes is of another font or size
  std::mutex mutex_;
  std::optional<Batch> loaded_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace glyphreel::render
