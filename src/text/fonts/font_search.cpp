#include "text/fonts/font_search.h"

#include <fmt/format.h>
#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "text/fonts/c_deleter.h"

namespace glyphreel::text {
namespace {

using Pattern = std::unique_ptr<FcPattern, CDeleter<FcPatternDestroy>>;
using FontList = std::unique_ptr<FcFontSet, CDeleter<FcFontSetDestroy>>;
using CharacterSet = std::unique_ptr<FcCharSet, CDeleter<FcCharSetDestroy>>;

const FcChar8* fc(const char* text) {
  return reinterpret_cast<const FcChar8*>(text);
}

std::string own_folder;  // set by add_font_folder()

// Where Debian, Arch and Fedora install the default font.
constexpr std::string_view DefaultFont = "DejaVu Sans Mono";
constexpr std::array DefaultFontFiles = {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
                                         "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
                                         "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf"};

/// Returns the file of the default font. Does not use fontconfig, because it takes 6 ms to read its
/// configuration, which is a tenth of the time until the first frame. Returns null if environment variables
/// select a different fontconfig configuration, or if the font is not in its usual place.
const char* default_font_file() {
  if (std::getenv("FONTCONFIG_FILE") != nullptr || std::getenv("FONTCONFIG_PATH") != nullptr) return nullptr;
  std::error_code ignored;
  const auto found = std::ranges::find_if(
      DefaultFontFiles, [&](const char* path) { return std::filesystem::is_regular_file(path, ignored); });
  return found == DefaultFontFiles.end() ? nullptr : *found;
}

/// On the first call, adds the fonts that ship with the program. fontconfig then reads all system fonts,
/// which would slow down runs that draw no glyphs. Therefore, call this before a font search, not at startup.
void load_own_fonts() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (own_folder.empty()) return;
    FcConfig* bare = FcConfigCreate();
    const std::unique_ptr<FcChar8, CDeleter<FcStrFree>> configuration(FcConfigGetFilename(bare, nullptr));
    if (configuration) {
      FcConfigDestroy(bare);
    } else {  // without any configuration, fontconfig prints errors to stderr and caches nothing
      constexpr const char* Folders =
          R"(<fontconfig><dir>/usr/share/fonts</dir><dir prefix="xdg">fonts</dir>)"
          R"(<cachedir prefix="xdg">fontconfig</cachedir></fontconfig>)";
      if (FcConfigParseAndLoadFromMemory(bare, fc(Folders), FcTrue) == FcTrue) FcConfigSetCurrent(bare);
    }
    FcConfigAppFontAddDir(nullptr, fc(own_folder.c_str()));
  });
}

/// Whether `family` is one of fontconfig's generic names, such as monospace. Any family is a valid match for
/// a generic name.
bool is_generic(const FcChar8* family) {
  constexpr std::array Generic = {"monospace",    "mono",      "sans-serif",    "sans",    "serif",
                                  "ui-monospace", "system-ui", "ui-sans-serif", "cursive", "fantasy"};
  return std::any_of(Generic.begin(), Generic.end(),
                     [&](const char* name) { return FcStrCmpIgnoreCase(family, fc(name)) == 0; });
}

bool has_family(FcPattern* pattern, const FcChar8* name) {
  FcChar8* value = nullptr;
  for (int i = 0; FcPatternGetString(pattern, FC_FAMILY, i, &value) == FcResultMatch; ++i) {
    if (FcStrCmpIgnoreCase(value, name) == 0) return true;
  }
  return false;
}

/// Returns the font that fontconfig considers nearest to `query`; null if there is no font. Modifies the
/// query.
Pattern best_match(Pattern query) {
  if (!query) return nullptr;
  FcPatternAddBool(query.get(), FC_SCALABLE, FcTrue);
  FcPatternAddInteger(query.get(), FC_SPACING, FC_MONO);
  FcConfigSubstitute(nullptr, query.get(), FcMatchPattern);
  FcDefaultSubstitute(query.get());
  FcResult result = FcResultNoMatch;
  return Pattern(FcFontMatch(nullptr, query.get(), &result));
}

Pattern scalable_with(const char* object, const std::string& name) {
  Pattern pattern(FcPatternCreate());
  if (!pattern) return nullptr;
  FcPatternAddString(pattern.get(), object, fc(name.c_str()));
  FcPatternAddBool(pattern.get(), FC_SCALABLE, FcTrue);
  return pattern;
}

/// Finds a font by its full name. Lists the fonts, because fontconfig's matching ignores full names.
Pattern with_full_name(const std::string& name) {
  const Pattern query = scalable_with(FC_FULLNAME, name);
  const std::unique_ptr<FcObjectSet, CDeleter<FcObjectSetDestroy>> wanted(
      FcObjectSetBuild(FC_FILE, FC_INDEX, static_cast<char*>(nullptr)));
  if (!query || !wanted) return nullptr;
  const FontList fonts(FcFontList(nullptr, query.get(), wanted.get()));
  return fonts && fonts->nfont > 0 ? Pattern(FcPatternDuplicate(fonts->fonts[0])) : nullptr;
}

/// Finds a font by family (`name` "Noto Sans"), by full name ("Noto Sans Bold") or by pattern ("Noto
/// Sans:bold"). Only a name with a colon is parsed as a pattern. In a pattern, a hyphen starts a size, so a
/// family name with a hyphen would be misread.
Pattern match_by_name(const std::string& name) {
  load_own_fonts();
  Pattern query = name.find(':') != std::string::npos ? Pattern(FcNameParse(fc(name.c_str())))
                                                      : scalable_with(FC_FAMILY, name);
  FcChar8* value = nullptr;
  if (!query || FcPatternGetString(query.get(), FC_FAMILY, 0, &value) != FcResultMatch) return nullptr;
  const std::string family = reinterpret_cast<const char*>(value);  // a copy: matching changes the pattern
  Pattern match = best_match(std::move(query));
  if (match && (is_generic(fc(family.c_str())) || has_family(match.get(), fc(family.c_str())))) return match;
  return with_full_name(name);
}

bool is_set(const FcPattern* pattern, const char* object) {
  FcBool value = FcFalse;
  return FcPatternGetBool(pattern, object, 0, &value) == FcResultMatch && value == FcTrue;
}

/// Returns all installed fonts, the most suitable for the family and the characters first.
FontList sorted_fonts(const std::string& family, const FcCharSet* characters) {
  const Pattern query = scalable_with(FC_FAMILY, family);
  if (!query) return nullptr;
  FcPatternAddCharSet(query.get(), FC_CHARSET, characters);
  FcConfigSubstitute(nullptr, query.get(), FcMatchPattern);
  FcDefaultSubstitute(query.get());
  FcResult result = FcResultNoMatch;
  return FontList(FcFontSort(nullptr, query.get(), FcFalse, nullptr, &result));
}

}  // namespace

void add_font_folder(std::string folder) {
  own_folder = std::move(folder);
}

Result<FontFile> find_font(const std::string& file_or_name) {
  std::error_code status;
  if (std::filesystem::is_regular_file(file_or_name, status)) return FontFile{file_or_name, 0};

  if (file_or_name.find('/') != std::string::npos) {
    return Error{ErrorCode::Usage,
                 fmt::format("The font file \"{}\" does not exist; check its path.", file_or_name)};
  }
  if (file_or_name == DefaultFont) {
    if (const char* file = default_font_file()) return FontFile{file, 0};
  }
  const Pattern match = match_by_name(file_or_name);
  FcChar8* path = nullptr;
  if (!match || FcPatternGetString(match.get(), FC_FILE, 0, &path) != FcResultMatch) {
    return Error{ErrorCode::Usage,
                 fmt::format("The font \"{}\" was not found; `fc-list : family` lists the installed fonts.",
                             file_or_name)};
  }
  FontFile file{reinterpret_cast<const char*>(path), 0};
  FcPatternGetInteger(match.get(), FC_INDEX, 0, &file.face_index);
  return file;
}

std::vector<FallbackFont> fallback_fonts(const std::string& family, std::span<const char32_t> characters) {
  load_own_fonts();
  const CharacterSet wanted(FcCharSetCreate());
  if (!wanted) return {};
  for (const char32_t code_point : characters) FcCharSetAddChar(wanted.get(), code_point);
  const FontList fonts = sorted_fonts(family, wanted.get());
  std::vector<FallbackFont> found;
  for (int i = 0; fonts && i < fonts->nfont; ++i) {
    const FcPattern* font = fonts->fonts[i];
    FcChar8* path = nullptr;
    FcChar8* name = nullptr;
    FcCharSet* has = nullptr;
    if (FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch ||
        FcPatternGetString(font, FC_FAMILY, 0, &name) != FcResultMatch ||
        FcPatternGetCharSet(font, FC_CHARSET, 0, &has) != FcResultMatch) {
      continue;
    }
    // fontconfig also lists each named style of a variable font, so the variable entry itself is skipped.
    if (is_set(font, FC_VARIABLE) || FcCharSetIntersectCount(wanted.get(), has) == 0) continue;
    FallbackFont& fallback = found.emplace_back();
    fallback.file.path = reinterpret_cast<const char*>(path);
    FcPatternGetInteger(font, FC_INDEX, 0, &fallback.file.face_index);
    fallback.family = reinterpret_cast<const char*>(name);
    fallback.source = is_set(font, FC_COLOR)     ? GlyphSource::Colors
                      : is_set(font, FC_OUTLINE) ? GlyphSource::Outlines
                                                 : GlyphSource::Bitmaps;
    std::copy_if(characters.begin(), characters.end(), std::back_inserter(fallback.characters),
                 [&](char32_t code_point) { return FcCharSetHasChar(has, code_point) == FcTrue; });
  }
  return found;
}

std::vector<char32_t> everyday_ideographs(const std::string& language) {
  constexpr char32_t First =
      0x4E00;  // the block CJK Unified Ideographs; rare ideographs are in its extensions
  constexpr char32_t Last = 0x9FFF;
  std::vector<char32_t> ideographs;
  const FcCharSet* orthography = FcLangGetCharSet(fc(language.c_str()));  // fontconfig owns it; do not free
  for (char32_t code_point = First; orthography != nullptr && code_point <= Last; ++code_point) {
    if (FcCharSetHasChar(orthography, code_point) == FcTrue) ideographs.push_back(code_point);
  }
  return ideographs;
}

}  // namespace glyphreel::text
