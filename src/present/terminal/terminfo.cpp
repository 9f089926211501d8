#include "present/terminal/terminfo.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace glyphreel::present {
namespace {

constexpr unsigned LegacyMagic = 0432;
constexpr unsigned WideMagic = 01036;  // 32-bit numbers
// Indices into the lists, from the order of <term.h>.
constexpr std::size_t BackColorErase = 28;
constexpr std::size_t MaxColors = 13;
constexpr std::size_t EraseChars = 37;
constexpr std::size_t MostBytes = 32768;  // of an entry, term(5)

/// Reads little-endian values in order, and records when it reads past the end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  int number(int size) {
    if (at_ + static_cast<std::size_t>(size) > bytes_.size()) {
      failed_ = true;
      return -1;
    }
    std::uint32_t value = 0;
    for (int i = 0; i < size; ++i) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[at_++])) << (8 * i);
    }
    return size == 1   ? static_cast<std::int8_t>(value)
           : size == 2 ? static_cast<std::int16_t>(value)
                       : static_cast<int>(value);
  }
  std::vector<int> numbers(int count, int size) {
    std::vector<int> values;
    for (int i = 0; i < count && !failed_; ++i) values.push_back(number(size));
    return values;
  }
  void skip(int count) {
    if (count < 0 || at_ + static_cast<std::size_t>(count) > bytes_.size())
      failed_ = true;
    else
      at_ += static_cast<std::size_t>(count);
  }
  void align() { at_ += at_ % 2; }
  [[nodiscard]] std::string_view rest() const {
    return at_ < bytes_.size() ? bytes_.substr(at_) : std::string_view();
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// Returns the string that begins at `at`, up to its terminating zero.
std::string_view string_at(std::string_view table, int at) {
  if (at < 0 || static_cast<std::size_t>(at) >= table.size()) return {};
  table.remove_prefix(static_cast<std::size_t>(at));
  return table.substr(0, table.find('\0'));
}

/// Capabilities without an index in the lists follow them, with their names.
bool has_direct_color(Reader& reader, int number_size) {
  reader.align();
  const int booleans = reader.number(2);
  const int numbers = reader.number(2);
  const int strings = reader.number(2);
  reader.skip(4);
  if (reader.failed() || booleans < 0 || numbers < 0 || strings < 0) return false;
  reader.skip(booleans);
  reader.align();
  reader.skip(numbers * number_size);
  const std::vector<int> values = reader.numbers(strings, 2);
  const std::vector<int> names = reader.numbers(booleans + numbers + strings, 2);
  if (reader.failed()) return false;
  const std::string_view table = reader.rest();
  // Name offsets are relative to the end of the last value.
  int base = 0;
  for (const int value : values) {
    if (value >= 0) base += static_cast<int>(string_at(table, value).size()) + 1;
  }
  for (const int name : names) {
    const std::string_view text = name < 0 ? std::string_view() : string_at(table, base + name);
    if (text == "RGB" || text == "Tc") return true;
  }
  return false;
}

std::optional<Terminfo> read_entry(const std::string& folder, const std::string& term) {
  // Folders are named after the first letter, or its hex code where file names are case-insensitive.
  for (const std::string& letter :
       {std::string(1, term.front()), fmt::format("{:x}", static_cast<unsigned char>(term.front()))}) {
    std::ifstream file(folder + "/" + letter + "/" + term, std::ios::binary);
    if (!file) continue;
    std::string bytes(MostBytes, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    if (const std::optional<Terminfo> entry = parse_terminfo(bytes)) return entry;
  }
  return std::nullopt;
}

}  // namespace

std::string process_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<Terminfo> parse_terminfo(std::string_view bytes) {
  Reader reader(bytes);
  const auto magic = static_cast<unsigned>(reader.number(2));
  if (magic != LegacyMagic && magic != WideMagic) return std::nullopt;
  const int number_size = magic == WideMagic ? 4 : 2;
  const std::vector<int> sizes = reader.numbers(5, 2);  // names, booleans, numbers, strings, string table
  if (reader.failed()) return std::nullopt;
  for (const int size : sizes) {
    if (size < 0) return std::nullopt;
  }
  reader.skip(sizes[0]);
  const std::vector<int> booleans = reader.numbers(sizes[1], 1);
  reader.align();
  const std::vector<int> numbers = reader.numbers(sizes[2], number_size);
  const std::vector<int> strings = reader.numbers(sizes[3], 2);
  reader.skip(sizes[4]);
  if (reader.failed()) return std::nullopt;
  Terminfo info;
  info.back_color_erase = booleans.size() > BackColorErase && booleans[BackColorErase] == 1;
  if (numbers.size() > MaxColors && numbers[MaxColors] > 0) info.colors = numbers[MaxColors];
  info.erase_characters = strings.size() > EraseChars && strings[EraseChars] >= 0;
  info.direct_color = has_direct_color(reader, number_size);
  return info;
}

std::optional<Terminfo> find_terminfo(const Environment& environment) {
  const std::string term = environment("TERM");
  if (term.empty() || term.front() == '.' || term.find('/') != std::string::npos) return std::nullopt;
  std::vector<std::string> folders;
  if (const std::string own = environment("TERMINFO"); !own.empty()) folders.push_back(own);
  if (const std::string home = environment("HOME"); !home.empty()) folders.push_back(home + "/.terminfo");
  const std::string list = environment("TERMINFO_DIRS");
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) folders.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  for (const char* folder : {"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"}) {
    folders.emplace_back(folder);
  }
  for (const std::string& folder : folders) {
    if (const std::optional<Terminfo> entry = read_entry(folder, term)) return entry;
  }
  return std::nullopt;
}

}  // namespace glyphreel::present
