#include "player/osd/composition.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace glyphreel::player {
namespace {

/// Letters, and below each the character that it becomes with the mark.
struct MarkedLetters {
  char32_t mark;
  std::u32string_view letters;
  std::u32string_view marked;
};

// From the canonical decompositions of the Unicode character database, U+00C0 to U+024F and U+1E00 to U+1EFF.
constexpr std::array<MarkedLetters, 17> Latin = {{
    {0x0300, U"AEIOUaeiouÜüNnĒēŌōWwÂâĂăÊêÔôƠơƯưYy", U"ÀÈÌÒÙàèìòùǛǜǸǹḔḕṐṑẀẁẦầẰằỀềỒồỜờỪừỲỳ"},
    {0x0301, U"AEIOUYaeiouyCcLlNnRrSsZzÜüGgÅåÆæØøÇçĒēÏïKkMmÕõŌōPpŨũWwÂâĂăÊêÔôƠơƯư",
     U"ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźǗǘǴǵǺǻǼǽǾǿḈḉḖḗḮḯḰḱḾḿṌṍṒṓṔṕṸṹẂẃẤấẮắẾếỐốỚớỨứ"},
    {0x0302, U"AEIOUaeiouCcGgHhJjSsWwYyZzẠạẸẹỌọ", U"ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑẬậỆệỘộ"},
    {0x0303, U"ANOanoIiUuVvÂâĂăEeÊêÔôƠơƯưYy", U"ÃÑÕãñõĨĩŨũṼṽẪẫẴẵẼẽỄễỖỗỠỡỮữỸỹ"},
    {0x0304, U"AaEeIiOoUuÜüÄäȦȧÆæǪǫÖöÕõȮȯYyGgḶḷṚṛ", U"ĀāĒēĪīŌōŪūǕǖǞǟǠǡǢǣǬǭȪȫȬȭȰȱȲȳḠḡḸḹṜṝ"},
    {0x0306, U"AaEeGgIiOoUuȨȩẠạ", U"ĂăĔĕĞğĬĭŎŏŬŭḜḝẶặ"},
    {0x0307, U"CcEeGgIZzAaOoBbDdFfHhMmNnPpRrSsŚśŠšṢṣTtWwXxYyſ",
     U"ĊċĖėĠġİŻżȦȧȮȯḂḃḊḋḞḟḢḣṀṁṄṅṖṗṘṙṠṡṤṥṦṧṨṩṪṫẆẇẊẋẎẏẛ"},
    {0x0308, U"AEIOUaeiouyYHhÕõŪūWwXxt", U"ÄËÏÖÜäëïöüÿŸḦḧṎṏṺṻẄẅẌẍẗ"},
    {0x0309, U"AaÂâĂăEeÊêIiOoÔôƠơUuƯưYy", U"ẢảẨẩẲẳẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ"},
    {0x030A, U"AaUuwy", U"ÅåŮůẘẙ"},
    {0x030B, U"OoUu", U"ŐőŰű"},
    {0x030C, U"CcDdEeLlNnRrSsTtZzAaIiOoUuÜüGgKkƷʒjHh", U"ČčĎďĚěĽľŇňŘřŠšŤťŽžǍǎǏǐǑǒǓǔǙǚǦǧǨǩǮǯǰȞȟ"},
    {0x031B, U"OoUu", U"ƠơƯư"},
    {0x0323, U"BbDdHhKkLlMmNnRrSsTtVvWwZzAaEeIiOoƠơUuƯưYy", U"ḄḅḌḍḤḥḲḳḶḷṂṃṆṇṚṛṢṣṬṭṾṿẈẉẒẓẠạẸẹỊịỌọỢợỤụỰựỴỵ"},
    {0x0326, U"SsTt", U"ȘșȚț"},
    {0x0327, U"CcGgKkLlNnRrSsTtEeDdHh", U"ÇçĢģĶķĻļŅņŖŗŞşŢţȨȩḐḑḨḩ"},
    {0x0328, U"AaEeIiUuOo", U"ĄąĘęĮįŲųǪǫ"},
}};
static_assert(std::all_of(Latin.begin(), Latin.end(),
                          [](const MarkedLetters& row) { return row.letters.size() == row.marked.size(); }));

char32_t composed_kana(char32_t letter, char32_t mark) {
  constexpr char32_t Voiced = 0x3099, HalfVoiced = 0x309A;
  // Hiragana and katakana have the same order, 0x60 apart.
  const char32_t hiragana = letter >= 0x30A1 && letter <= 0x30FE ? letter - 0x60 : letter;
  constexpr std::u32string_view Voiceable = U"かきくけこさしすせそたちつてとはひふへほゝ";
  constexpr std::u32string_view HalfVoiceable = U"はひふへほ";
  if (mark == HalfVoiced && HalfVoiceable.find(hiragana) != std::u32string_view::npos) return letter + 2;
  if (mark != Voiced) return 0;
  if (letter == U'う') return U'ゔ';
  if (letter == U'ウ') return U'ヴ';
  return Voiceable.find(hiragana) != std::u32string_view::npos ? letter + 1 : 0;
}

/// Unicode's section 3.12: syllables are numbered by their parts.
char32_t composed_hangul(char32_t before, char32_t part) {
  constexpr char32_t Leads = 0x1100, Vowels = 0x1161, Tails = 0x11A7, Syllables = 0xAC00;
  constexpr char32_t LeadCount = 19, VowelCount = 21, TailCount = 28;
  if (before >= Leads && before < Leads + LeadCount && part >= Vowels && part < Vowels + VowelCount) {
    return Syllables + ((before - Leads) * VowelCount + (part - Vowels)) * TailCount;
  }
  const bool is_open_syllable = before >= Syllables &&
                                before < Syllables + LeadCount * VowelCount * TailCount &&
                                (before - Syllables) % TailCount == 0;
  if (is_open_syllable && part > Tails && part < Tails + TailCount) return before + (part - Tails);
  return 0;
}

}  // namespace

char32_t composed(char32_t letter, char32_t mark) {
  if (mark < 0x300) return 0;
  if (mark <= 0x36F) {
    const auto row = std::find_if(Latin.begin(), Latin.end(), [&](const auto& r) { return r.mark == mark; });
    if (row == Latin.end()) return 0;
    const std::size_t at = row->letters.find(letter);
    return at == std::u32string_view::npos ? 0 : row->marked[at];
  }
  if (mark == 0x3099 || mark == 0x309A) return composed_kana(letter, mark);
  return composed_hangul(letter, mark);
}

}  // namespace glyphreel::player
