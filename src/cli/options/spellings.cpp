#include "cli/options/spellings.h"

#include <algorithm>
#include <array>

namespace glyphreel::cli {
namespace {

using std::string_view;

constexpr auto OptionSpellings = std::to_array<OptionSpelling>({
    {"chapter", "start", "#"},
    {"fullscreen", "fs"},
    {"loop", "loop-file"},
    {"pix_fmt", "pix-fmt"},
    {"really-quiet", "quiet"},
    {"ss", "start"},
    {"sub", "sid"},
    {"sub-files", "sub-file"},
    {"to", "end"},
    {"video-aspect-override", "aspect"},
});

struct ValueSpelling {
  string_view option;
  string_view value;
  string_view own;  ///< this program's spelling of the value
};

constexpr auto ValueSpellings = std::to_array<ValueSpelling>({
    {"hwdec", "auto-safe", "auto"},
    {"hwdec", "nvdec", "cuda"},
    {"hwdec", "yes", "auto"},
    {"loop-file", "yes", "inf"},
});

NamedOption option_spelled(string_view name, Verb verb) {
  const OptionSpec* own = find_option(name);
  if (own != nullptr && own->belongs_to(verb)) return {own};
  const auto found = std::ranges::find(OptionSpellings, name, &OptionSpelling::name);
  if (found == OptionSpellings.end()) return {own};
  return {find_option(found->option), found->value_prefix};
}

}  // namespace

std::span<const OptionSpelling> option_spellings() {
  return OptionSpellings;
}

NamedOption option_named(string_view name, Verb verb) {
  constexpr string_view No = "no-";
  if (const NamedOption named = option_spelled(name, verb); named.option != nullptr || !name.starts_with(No))
    return named;
  NamedOption negated = option_spelled(name.substr(No.size()), verb);
  if (negated.option == nullptr || !negated.option->takes_no()) return {};
  negated.value = "no";
  return negated;
}

string_view own_value(const OptionSpec& option, string_view value) {
  const auto found = std::ranges::find_if(ValueSpellings, [&](const ValueSpelling& spelling) {
    return spelling.option == option.name && spelling.value == value;
  });
  return found == ValueSpellings.end() ? value : found->own;
}

}  // namespace glyphreel::cli
