#include "text/code_points/code_page_437.h"

#include <cstddef>
#include <string_view>

#include "text/code_points/unicode.h"

namespace glyphreel::text {
namespace {

constexpr unsigned char FirstUpper = 0x80;
/// The characters of the bytes 0x80 to 0xFE. 0xFF, the no-break space, is left out.
constexpr std::u32string_view Upper =
    U"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
    U"αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■";
static_assert(Upper.size() == 0xFF - FirstUpper);

}  // namespace

std::optional<unsigned char> code_page_437(char32_t character) {
  if (character >= U' ' && character <= U'~') return static_cast<unsigned char>(character);
  const std::size_t at = Upper.find(character);
  if (at == Upper.npos) return {};
  return static_cast<unsigned char>(FirstUpper + at);
}

std::string code_page_437_characters() {
  std::string text;
  for (char32_t character = U' '; character <= U'~'; ++character) text += encode_utf8(character);
  for (const char32_t character : Upper) text += encode_utf8(character);
  return text;
}

}  // namespace glyphreel::text
