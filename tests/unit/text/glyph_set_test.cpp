#include "text/glyph_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "../../temporary_files.h"
#include "text/charset.h"
#include "text/code_points/unicode.h"
#include "text/fonts/font.h"

namespace glyphreel::text::glyph_set_test {
namespace {

using Set = std::shared_ptr<const GlyphSet>;

constexpr CellSize Sizes[] = {{8, 16}, {6, 12}, {10, 20}, {16, 32}, {1, 1}, {3, 5}, {16, 16}, {255, 255}};

Set make(const std::string& characters, CellSize cell = {8, 16},
         const std::string& font = "DejaVu Sans Mono") {
  auto set = GlyphSet::make({.font = font, .cell = cell, .characters = characters});
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  return set ? *set : nullptr;
}

std::string refusal(const std::string& characters, CellSize cell = {8, 16},
                    const std::string& font = "DejaVu Sans Mono") {
  auto set = GlyphSet::make({.font = font, .cell = cell, .characters = characters});
  if (set) return "accepted";
  EXPECT_EQ(set.error().code, ErrorCode::Usage);
  return set.error().message;
}

std::string characters_of(const std::string& charset) {
  return resolve_charset(charset, "DejaVu Sans Mono")->characters;
}

std::vector<std::uint8_t> mask_of(const GlyphSet& set, int glyph) {
  const auto bytes = static_cast<std::ptrdiff_t>(set.cell().width * set.cell().height);
  return {set.masks().begin() + glyph * bytes, set.masks().begin() + (glyph + 1) * bytes};
}

long total_coverage(const std::vector<std::uint8_t>& mask) {
  return std::accumulate(mask.begin(), mask.end(), 0L);
}

TEST(GlyphSet, KeepsOrderAndDropsDuplicates) {
  const Set set = make("ba bé☺a");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->code_points(), (std::vector<char32_t>{U'b', U'a', U' ', U'é', U'☺'}));
  EXPECT_EQ(set->size(), 5);
  EXPECT_EQ(set->utf8(3), "é");
  EXPECT_EQ(set->utf8(4), "☺");
  EXPECT_EQ(set->masks().size(), 5u * 8 * 16);
}

TEST(GlyphSet, BlankIsFirstInklessGlyph) {
  EXPECT_EQ(make("ab \u00A0c")->blank(), 2);
  EXPECT_EQ(make("\u00A0 ")->blank(), 0);
  EXPECT_EQ(make("ab")->blank(), -1);
  EXPECT_EQ(make("a\u2800")->blank(), 1);
}

TEST(GlyphSet, EveryNonBlankGlyphHasInkAtEverySize) {
  for (const CellSize cell : Sizes) {
    // At 1x1, accents would have no ink: they are above the cell, or too small for FreeType.
    const Set set = make(characters_of(cell.height > 1 ? "latin" : "letters"), cell);
    ASSERT_TRUE(set);
    EXPECT_EQ(set->blank(), 0);
    for (int glyph = 1; glyph < set->size(); ++glyph) {
      EXPECT_GT(total_coverage(mask_of(*set, glyph)), 0)
          << set->utf8(glyph) << ' ' << cell.width << 'x' << cell.height;
    }
  }
}

TEST(GlyphSet, CoverageOrderMatchesPerception) {
  for (const CellSize cell : {CellSize{8, 16}, {6, 12}, {10, 20}, {16, 32}}) {
    const Set set = make(" .-+#@", cell);
    for (int glyph = 1; glyph < set->size(); ++glyph) {
      EXPECT_LT(total_coverage(mask_of(*set, glyph - 1)), total_coverage(mask_of(*set, glyph)))
          << set->utf8(glyph);
    }
    EXPECT_GT(std::ranges::max(set->masks()), 220);
  }
}

TEST(GlyphSet, SymmetricCharactersAreCentered) {
  for (const CellSize cell : {CellSize{8, 16}, {6, 12}, {10, 20}, {16, 32}, {16, 16}, {9, 16}}) {
    const Set set = make("|!:.T", cell);
    for (int glyph = 0; glyph < set->size(); ++glyph) {
      const auto mask = mask_of(*set, glyph);
      double moment = 0;
      for (int pixel = 0; pixel < cell.width * cell.height; ++pixel) {
        moment += mask[static_cast<std::size_t>(pixel)] * (pixel % cell.width + 0.5);
      }
      EXPECT_NEAR(moment / static_cast<double>(total_coverage(mask)), cell.width / 2.0, 0.03 * cell.width)
          << set->utf8(glyph) << ' ' << cell.width << 'x' << cell.height;
    }
  }
}

TEST(GlyphSet, GlyphsShareBaseline) {
  const Set set = make("HEIxz", {8, 16});
  const auto last_row = [&](int glyph) {
    const auto mask = mask_of(*set, glyph);
    int row = 15;
    while (row > 0 && std::all_of(mask.begin() + row * 8, mask.begin() + row * 8 + 8,
                                  [](auto value) { return value < 64; })) {
      --row;
    }
    return row;
  };
  for (int glyph = 1; glyph < set->size(); ++glyph)
    EXPECT_EQ(last_row(glyph), last_row(0)) << set->utf8(glyph);
}

TEST(FindFont, DefaultFontIsTheOneThatFontconfigFinds) {
  const auto by_name = find_font("DejaVu Sans Mono");
  const auto by_pattern = find_font("DejaVu Sans Mono:book");
  ASSERT_TRUE(by_name);
  ASSERT_TRUE(by_pattern);
  EXPECT_EQ(by_name->path, by_pattern->path);
  EXPECT_EQ(by_name->face_index, by_pattern->face_index);
}

/// Measures how much of the glyphs' coverage is clipped at the cell's edges. For comparison, draws the same
/// glyphs at the same size in the middle of a canvas of three by three cells.
TEST(GlyphSet, AsciiIsHardlyClipped) {
  const std::string ascii = characters_of("ascii");
  const auto file = find_font("DejaVu Sans Mono");
  ASSERT_TRUE(file);
  auto face = FontFace::open(*file, "DejaVu Sans Mono");
  ASSERT_TRUE(face);
  for (const auto& [cell, limit] : {std::pair{CellSize{8, 16}, 0.005},
                                    {CellSize{10, 20}, 0.005},
                                    {CellSize{16, 32}, 0.005},
                                    {CellSize{6, 12}, 0.01}}) {
    const Set set = make(ascii, cell);
    ASSERT_TRUE(set);
    GlyphExtents extents;
    for (const char32_t code_point : set->code_points()) {
      const GlyphExtents glyph = face->extents(code_point);
      extents = {std::max(extents.above, glyph.above), std::max(extents.below, glyph.below)};
    }
    const GlyphPlacement placement = place(face->metrics(), face->advance(U'M'), extents, cell);
    ASSERT_TRUE(face->set_size(placement.em_26_6));
    const CellSize canvas{3 * cell.width, 3 * cell.height};
    long whole = 0;
    long kept = 0;
    for (const char32_t code_point : set->code_points()) {
      std::vector<std::uint8_t> mask(static_cast<std::size_t>(canvas.width * canvas.height));
      const int origin =
          centered_origin(face->metrics(), placement, face->advance(code_point), cell) + 64 * cell.width;
      const Hinting hinting = face->best_hinting(code_point, placement.baseline, cell);
      ASSERT_TRUE(
          face->draw(code_point, hinting, origin, placement.baseline + cell.height, canvas, mask.data()));
      whole += total_coverage(mask);
      for (int y = 0; y < cell.height; ++y) {
        for (int x = 0; x < cell.width; ++x) {
          kept += mask[static_cast<std::size_t>((y + cell.height) * canvas.width + x + cell.width)];
        }
      }
    }
    EXPECT_EQ(kept, total_coverage(set->masks()));  // the middle of the canvas equals the set's glyphs
    const double lost = static_cast<double>(whole - kept) / static_cast<double>(whole);
    EXPECT_LT(lost, limit) << cell.width << 'x' << cell.height;
    RecordProperty("lost_" + std::to_string(cell.width), std::to_string(lost));
  }
}

TEST(GlyphSet, MasksAreDeterministicAcrossThreads) {
  const std::string characters = characters_of("latin") + "█▚⣿╬";
  std::array<Set, 8> sets;
  {
    std::vector<std::jthread> threads;
    for (Set& set : sets) threads.emplace_back([&set, &characters] { set = make(characters, {10, 20}); });
  }
  for (const Set& set : sets) {
    ASSERT_TRUE(set);
    EXPECT_EQ(set->masks(), sets[0]->masks());
  }
}

TEST(GlyphSet, BlocksFillCellWithAnyFont) {
  // These characters must not come from a font: many fonts lack braille and sextants, and in a proportional
  // font, blocks do not fill the cell.
  const Set set = make("█▄⣿\U0001FB3B", {8, 16}, "DejaVu Serif");
  ASSERT_TRUE(set);
  EXPECT_EQ(mask_of(*set, 0), std::vector<std::uint8_t>(128, 255));
  std::vector<std::uint8_t> lower(128, 0);
  std::fill(lower.begin() + 64, lower.end(), std::uint8_t{255});
  EXPECT_EQ(mask_of(*set, 1), lower);
}

TEST(GlyphSet, DescriptionComesFromFont) {
  const Set set = make("ab");
  EXPECT_TRUE(set->font_description().starts_with("DejaVu Sans Mono Book (/")) << set->font_description();
  EXPECT_TRUE(set->font_description().ends_with("DejaVuSansMono.ttf)")) << set->font_description();
  EXPECT_EQ(set->cell(), (CellSize{8, 16}));
}

TEST(GlyphSet, FontIsFoundByNamePatternOrPath) {
  const auto description = [](const std::string& font) {
    return make("a", {8, 16}, font)->font_description();
  };
  const std::string regular = description("DejaVu Sans Mono");
  EXPECT_EQ(description("dejavu sans mono"), regular);
  EXPECT_TRUE(description("DejaVu Sans Mono Bold").starts_with("DejaVu Sans Mono Bold ("));
  EXPECT_TRUE(description("DejaVu Sans Mono:bold").starts_with("DejaVu Sans Mono Bold ("));
  EXPECT_FALSE(description("monospace").empty());
  const std::string path = regular.substr(regular.find('(') + 1, regular.size() - regular.find('(') - 2);
  EXPECT_EQ(description(path), regular);
}

TEST(GlyphSet, FontErrorsAreSentences) {
  EXPECT_EQ(refusal("a", {8, 16}, "No Such Family"),
            "The font \"No Such Family\" was not found; `fc-list : family` lists the installed fonts.");
  EXPECT_EQ(refusal("a", {8, 16}, "No Such Family:bold"),
            "The font \"No Such Family:bold\" was not found; `fc-list : family` lists the installed fonts.");
  EXPECT_EQ(refusal("a", {8, 16}, ""),
            "The font \"\" was not found; `fc-list : family` lists the installed fonts.");
  EXPECT_EQ(refusal("a", {8, 16}, "/nonexistent/font.ttf"),
            "The font file \"/nonexistent/font.ttf\" does not exist; check its path.");
}

TEST(GlyphSet, NonFontFileIsRejected) {
  const test::TemporaryFile file("this is no font");
  EXPECT_EQ(
      refusal("a", {8, 16}, file.path()),
      "\"" + file.path() + "\" is not a readable font; choose a TrueType or OpenType file with --font.");
}

TEST(GlyphSet, BitmapFontIsRejected) {
  // A minimal BDF font with one character of eight rows.
  const test::TemporaryFile file(
      "STARTFONT 2.1\nFONT -x-x-medium-r-normal--8-80-75-75-c-80-iso10646-1\nSIZE 8 75 75\nFONTBOUNDINGBOX 8 "
      "8 0 0\n"
      "STARTPROPERTIES 2\nFONT_ASCENT 8\nFONT_DESCENT 0\nENDPROPERTIES\nCHARS 1\nSTARTCHAR A\nENCODING "
      "65\nSWIDTH 1000 0\n"
      "DWIDTH 8 0\nBBX 8 8 0 0\nBITMAP\n18\n24\n42\n42\n7E\n42\n42\n42\nENDCHAR\nENDFONT\n");
  EXPECT_EQ(refusal("A", {8, 16}, file.path()),
            "The font \"" + file.path() + "\" contains only bitmaps; choose an outline font with --font.");
}

TEST(GlyphSet, CharacterErrorsAreSentences) {
  EXPECT_EQ(refusal("a\U0010FFFD"),
            "No installed font has a glyph for \"\U0010FFFD\" (U+10FFFD); install a font that has it, or "
            "choose a different --charset.");
  EXPECT_EQ(refusal(""), "The character set is empty; give at least one character with --charset.");
  EXPECT_EQ(refusal("a\tb"), "U+0009 is a control character and cannot be drawn; leave it out of --charset.");
  EXPECT_EQ(refusal("e\u0301"),
            "U+0301 combines with its neighbors and cannot fill a cell alone; leave it out of --charset.");
  EXPECT_EQ(refusal("ab\xFF"),
            "The characters are not valid UTF-8: the byte at offset 2 (0xFF) is invalid; use a UTF-8 locale, "
            "and type "
            "the characters again.");
}

TEST(GlyphSet, WideCharacterSpansTwoCells) {
  for (const CellSize cell : {CellSize{8, 16}, {7, 15}, {16, 32}}) {
    const Set set = make("a⚡b◾", cell);
    ASSERT_TRUE(set);
    EXPECT_EQ(set->size(), 6);
    EXPECT_EQ(set->narrow_count(), 2);
    EXPECT_TRUE(set->has_wide());
    EXPECT_EQ(set->code_points(), (std::vector<char32_t>{U'a', U'b', U'⚡', U'⚡', U'◾', U'◾'}));
    EXPECT_EQ(set->utf8(2), "⚡");
    EXPECT_EQ(set->utf8(3), "");
    EXPECT_EQ(set->utf8(4), "◾");
    EXPECT_EQ(set->utf8(5), "");
    using enum GlyphColumns;
    const GlyphColumns expected[] = {Narrow, Narrow, WideLeft, WideRight, WideLeft, WideRight};
    for (int glyph = 0; glyph < set->size(); ++glyph)
      EXPECT_EQ(set->columns(glyph), expected[glyph]) << glyph;
    // The character is symmetric, so both halves have about the same coverage.
    const auto left = mask_of(*set, 4);
    const auto right = mask_of(*set, 5);
    EXPECT_GT(total_coverage(left), 0);
    EXPECT_NEAR(static_cast<double>(total_coverage(left)), static_cast<double>(total_coverage(right)),
                0.1 * static_cast<double>(total_coverage(left)));
  }
}

/// Both halves side by side must equal, pixel by pixel, the character drawn on a canvas of two cells.
TEST(GlyphSet, HalvesFormWideGlyph) {
  const CellSize cell{9, 18};
  const Set set = make("⚡", cell);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->narrow_count(), 1);  // the space, which make() adds
  EXPECT_EQ(set->utf8(0), " ");
  EXPECT_EQ(set->blank(), 0);
  auto face = FontFace::open(*find_font("DejaVu Sans Mono"), "");
  ASSERT_TRUE(face);
  const GlyphExtents extents = face->extents(U'⚡');
  const FontMetrics ink_box{extents.above, std::max(0, extents.below), face->metrics().units_per_em};
  const int advance = face->advance(U'⚡');
  const GlyphPlacement placement = place(ink_box, (advance + 1) / 2, extents, cell);
  ASSERT_TRUE(face->set_size(placement.em_26_6));
  const CellSize canvas{2 * cell.width, cell.height};
  std::vector<std::uint8_t> whole(static_cast<std::size_t>(canvas.width * canvas.height));
  const int origin = centered_origin(face->metrics(), placement, advance, canvas);
  const Hinting hinting = face->best_hinting(U'⚡', placement.baseline, canvas);
  ASSERT_TRUE(face->draw(U'⚡', hinting, origin, placement.baseline, canvas, whole.data()));
  std::vector<std::uint8_t> halves;
  for (int row = 0; row < cell.height; ++row) {
    for (const int glyph : {1, 2}) {
      const auto mask = mask_of(*set, glyph);
      halves.insert(halves.end(), mask.begin() + row * cell.width, mask.begin() + (row + 1) * cell.width);
    }
  }
  EXPECT_EQ(halves, whole);
  EXPECT_GT(total_coverage(whole), 0);
}

TEST(GlyphSet, WideBlankIsNotNarrowBlank) {
  EXPECT_EQ(make("a　")->blank(), -1);
  EXPECT_EQ(make("a　")->size(), 3);
  EXPECT_EQ(make("　")->blank(), 0);
}

TEST(GlyphSet, NarrowSetHasNoWideGlyphs) {
  const Set set = make("ab ");
  EXPECT_FALSE(set->has_wide());
  EXPECT_EQ(set->narrow_count(), 3);
  EXPECT_EQ(set->columns(2), GlyphColumns::Narrow);
}

/// DejaVu Sans Mono lacks Georgian letters, but DejaVu Sans has them. Both fonts are in the same Debian
/// package.
TEST(GlyphSet, MissingCharactersUseFallbackFont) {
  for (const CellSize cell : {CellSize{8, 16}, {6, 12}, {16, 32}}) {
    const Set set = make("aႠb█ ", cell);
    ASSERT_TRUE(set);
    EXPECT_EQ(set->code_points(), (std::vector<char32_t>{U'a', U'Ⴀ', U'b', U'█', U' '}));
    ASSERT_EQ(set->fonts().size(), 2u);
    EXPECT_EQ(set->fonts()[0].description, set->font_description());
    EXPECT_EQ(set->fonts()[0].characters, 2);
    EXPECT_NE(set->fonts()[1].description, set->font_description());
    EXPECT_EQ(set->fonts()[1].characters, 1);
    EXPECT_GT(total_coverage(mask_of(*set, 1)), 0);
    // A fallback font must not change the glyphs of the requested font.
    const Set alone = make("ab█ ", cell);
    EXPECT_EQ(mask_of(*set, 0), mask_of(*alone, 0));
    EXPECT_EQ(mask_of(*set, 2), mask_of(*alone, 1));
  }
}

TEST(GlyphSet, MissingCharactersAreSkippedOnRequest) {
  // U+0378 is unassigned, so no font has it. DejaVu Sans Mono lacks the ideograph. The box-drawing line needs
  // no font.
  const std::string characters = "a\u0378漢─ ";
  const auto refused = GlyphSet::make({.characters = characters});
  ASSERT_FALSE(refused);
  const auto left_out = GlyphSet::make({.characters = characters, .missing = Missing::LeaveOut});
  ASSERT_TRUE(left_out) << left_out.error().message;
  EXPECT_EQ((*left_out)->code_points(), (std::vector<char32_t>{U'a', U'─', U' ', U'漢', U'漢'}));
  const auto own = GlyphSet::make({.characters = characters, .missing = Missing::NoFallback});
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ((*own)->code_points(), (std::vector<char32_t>{U'a', U'─', U' '}));
  const auto none = GlyphSet::make({.characters = "\u0378", .missing = Missing::LeaveOut});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::Usage);
}

TEST(GlyphSet, SetWithoutLettersNeedsNoFont) {
  EXPECT_TRUE(make("█ ⣿")->fonts().empty());
  EXPECT_TRUE(make("█")->font_description().starts_with("DejaVu Sans Mono Book ("));
}

/// The fallback font's arrows are wider than the cell. They must be scaled down to fit in the cell and keep
/// the letters' baseline: on a canvas of three by three cells, they must stay within the middle cell.
TEST(GlyphSet, FallbackGlyphsFitCell) {
  const CellSize cell{16, 32};
  const Set set = make("M\u27F8\u27F9\u27FA", cell);
  ASSERT_TRUE(set);
  ASSERT_EQ(set->fonts().size(), 2u);
  auto first = FontFace::open(*find_font("DejaVu Sans Mono"), "");
  ASSERT_TRUE(first);
  const GlyphPlacement letters = place(first->metrics(), first->advance(U'M'), first->extents(U'M'), cell);
  const std::string& font = set->fonts()[1].description;
  const std::string path = font.substr(font.find('(') + 1, font.size() - font.find('(') - 2);
  auto second = FontFace::open(*find_font(path), path);
  ASSERT_TRUE(second);
  const CellSize canvas{3 * cell.width, 3 * cell.height};
  for (int glyph = 1; glyph < set->size(); ++glyph) {
    const char32_t arrow = set->code_points()[static_cast<std::size_t>(glyph)];
    const int width = std::max(second->advance(arrow), second->centered_width(arrow));
    const GlyphPlacement fitted{cell.width * 64 * second->metrics().units_per_em / width, letters.baseline};
    ASSERT_LT(fitted.em_26_6, letters.em_26_6);
    ASSERT_TRUE(second->set_size(fitted.em_26_6));
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(canvas.width * canvas.height));
    const int origin =
        centered_origin(second->metrics(), fitted, second->advance(arrow), cell) + 64 * cell.width;
    const Hinting hinting = second->best_hinting(arrow, fitted.baseline, cell);
    ASSERT_TRUE(second->draw(arrow, hinting, origin, fitted.baseline + cell.height, canvas, mask.data()));
    EXPECT_EQ(total_coverage(mask), total_coverage(mask_of(*set, glyph)));
    EXPECT_GT(total_coverage(mask), 0);
  }
}

TEST(GlyphSet, NearDuplicatesAreDroppedOnRequest) {
  const auto pruned = [](const std::string& characters) {
    auto set = GlyphSet::make({.characters = characters, .duplicates = Duplicates::Prune});
    EXPECT_TRUE(set) << (set ? "" : set.error().message);
    return *set;
  };
  // Latin A, Cyrillic A and Greek Alpha look alike, and so do the space, the no-break space and the blank
  // braille pattern.
  EXPECT_EQ(pruned("AАΑ \u00A0\u2800B")->code_points(), (std::vector<char32_t>{U'A', U' ', U'B'}));
  EXPECT_EQ(make("AАΑ \u00A0\u2800B")->size(), 7);
  EXPECT_EQ(pruned("ÈÉ")->size(), 2);
  EXPECT_EQ(pruned(characters_of("ascii"))->size(), 95);
  EXPECT_EQ(pruned(characters_of("latin"))->size(), 189);
  EXPECT_EQ(pruned(characters_of("octants"))->size(), 256);
  EXPECT_EQ(pruned("a ⚡　")->size(), 4);
  EXPECT_EQ(pruned("⚡")->fonts().front().characters, 1);
}

TEST(GlyphSet, WholeFontIsPrunedToDistinctGlyphs) {
  auto charset = resolve_charset("font", "DejaVu Sans Mono");
  ASSERT_TRUE(charset);
  auto set = GlyphSet::make({.characters = charset->characters, .duplicates = charset->duplicates});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_GT((*set)->size(), 2000);
  EXPECT_LE((*set)->size(), 2 * MaxPrunedCharacters);
  EXPECT_LT((*set)->size(), static_cast<int>(decode_utf8(charset->characters)->size()));
  EXPECT_EQ((*set)->blank(), 0);
  // Of two glyphs that look alike, both may remain only if one of them is half of a wide character.
  const auto pixels = static_cast<std::size_t>((*set)->cell().width * (*set)->cell().height);
  const std::uint8_t* masks = (*set)->masks().data();
  for (std::size_t a = 0; a < 400; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double squares = 0;
      for (std::size_t i = 0; i < pixels; ++i) {
        const double difference = masks[a * pixels + i] - masks[b * pixels + i];
        squares += difference * difference;
      }
      ASSERT_GT(squares, 36.0 * static_cast<double>(pixels)) << (*set)->utf8(static_cast<int>(a));
    }
  }
}

TEST(GlyphSet, CjkFillsCellPairs) {
  auto charset = resolve_charset("cjk", "DejaVu Sans Mono");
  ASSERT_TRUE(charset);
  auto set = GlyphSet::make({.characters = charset->characters, .duplicates = charset->duplicates});
  if (!set) {
    EXPECT_NE(set.error().message.find("No installed font has a glyph"), std::string::npos);
    GTEST_SKIP() << "no font with ideographs is installed: " << set.error().message;
  }
  EXPECT_EQ((*set)->narrow_count(), 1);
  EXPECT_GT((*set)->size(), 2 * 2000);
  EXPECT_GE((*set)->fonts().size(), 1u);
  // Ideographs are as large as two cells allow, so some of them reach the top two and the bottom two
  // rows of pixels.
  long rows[16] = {};
  for (int glyph = 1; glyph < (*set)->size(); ++glyph) {
    const auto mask = mask_of(**set, glyph);
    for (std::size_t i = 0; i < mask.size(); ++i) rows[i / 8] += mask[i];
  }
  EXPECT_GT(rows[0] + rows[1], 0);
  EXPECT_GT(rows[14] + rows[15], 0);
}

TEST(GlyphSet, CellSizesOutOfRangeAreRejected) {
  EXPECT_EQ(refusal("a", {0, 16}),
            "A cell of 0x16 pixels cannot be drawn; give --cell a size from 1x1 to 255x255.");
  EXPECT_EQ(refusal("a", {8, 256}),
            "A cell of 8x256 pixels cannot be drawn; give --cell a size from 1x1 to 255x255.");
  EXPECT_EQ(refusal("a", {-1, -1}),
            "A cell of -1x-1 pixels cannot be drawn; give --cell a size from 1x1 to 255x255.");
}

}  // namespace
}  // namespace glyphreel::text::glyph_set_test
