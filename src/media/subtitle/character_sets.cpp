#include "media/subtitle/character_sets.h"

#include <fmt/format.h>
#include <iconv.h>
#include <uchardet.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>

namespace glyphreel::media {
namespace {

constexpr std::string_view Replacement = "\xEF\xBF\xBD";

/// Returns the length in bytes of the valid UTF-8 sequence at `at`; 0 if there is none.
std::size_t sequence_length(std::string_view bytes, std::size_t at) {
  utf8proc_int32_t code_point = -1;
  const utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()) + at,
                       static_cast<utf8proc_ssize_t>(bytes.size() - at), &code_point);
  return length > 0 ? static_cast<std::size_t>(length) : 0;
}

class Converter {
 public:
  explicit Converter(const std::string& charset) : handle_(iconv_open("UTF-8", charset.c_str())) {}
  ~Converter() {
    if (is_open()) iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  [[nodiscard]] bool is_open() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  [[nodiscard]] std::string convert(std::string_view bytes) {
    std::string out;
    std::array<char, 4096> buffer{};
    char* from = const_cast<char*>(bytes.data());  // required by iconv's signature; iconv only reads the text
    std::size_t left = bytes.size();
    while (left > 0) {
      char* to = buffer.data();
      std::size_t room = buffer.size();
      const std::size_t result = iconv(handle_, &from, &left, &to, &room);
      const int error = errno;
      out.append(buffer.data(), buffer.size() - room);
      if (result != static_cast<std::size_t>(-1) || error == E2BIG) continue;
      out += Replacement;  // EILSEQ, or EINVAL for a truncated last character
      ++from;
      --left;
    }
    return out;
  }

 private:
  iconv_t handle_;
};

struct Signature {
  std::string_view bytes;
  const char* charset;
};

/// Returns "UTF-16BE" or "UTF-16LE" if the text is UTF-16 without a BOM; otherwise null. In UTF-16, each
/// Latin letter, digit, space and line end has a zero high byte, which is the first byte of each pair in
/// big-endian order.
const char* utf16_without_signature(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, std::min<std::size_t>(bytes.size(), 4096));
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < head.size(); ++i) zeros[i % 2] += head[i] == '\0' ? 1 : 0;
  if (std::max(zeros[0], zeros[1]) * 8 < head.size() || zeros[0] == zeros[1]) return nullptr;
  return zeros[0] > zeros[1] ? "UTF-16BE" : "UTF-16LE";
}

/// Detects a single-byte or an East Asian encoding with uchardet. Returns Windows-1252 for short texts,
/// because uchardet misdetects a quarter of the Western European texts of one or two lines.
std::string guessed_charset(std::string_view bytes) {
  constexpr std::size_t TooShort = 256;
  constexpr const char* Usual = "WINDOWS-1252";
  if (bytes.size() < TooShort) return Usual;
  const std::unique_ptr<uchardet, decltype(&uchardet_delete)> detector(uchardet_new(), uchardet_delete);
  if (detector == nullptr || uchardet_handle_data(detector.get(), bytes.data(), bytes.size()) != 0)
    return Usual;
  uchardet_data_end(detector.get());
  const std::string charset = uchardet_get_charset(detector.get());
  return !charset.empty() && Converter(charset).is_open() ? charset : Usual;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  return repaired_utf8(bytes) == bytes;
}

std::string repaired_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = sequence_length(bytes, at);
    out += length == 0 ? Replacement : bytes.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

Result<void> check_charset(const std::string& charset) {
  if (charset.empty() || Converter(charset).is_open()) return {};
  return Error{ErrorCode::Usage,
               fmt::format("There is no character set {}; choose one that `iconv --list` shows.", charset),
               {}};
}

Result<std::string> text_to_utf8(std::string_view bytes, const std::string& charset) {
  using namespace std::string_view_literals;
  // UTF-32LE is before UTF-16LE, because the BOM of UTF-32LE starts with the BOM of UTF-16LE.
  static constexpr std::array Signatures = {
      Signature{"\xEF\xBB\xBF"sv, "UTF-8"}, Signature{"\xFF\xFE\0\0"sv, "UTF-32LE"},
      Signature{"\0\0\xFE\xFF"sv, "UTF-32BE"}, Signature{"\xFF\xFE"sv, "UTF-16LE"},
      Signature{"\xFE\xFF"sv, "UTF-16BE"}};
  TRY(check_charset(charset));
  std::string from = charset;
  for (const Signature& signature : Signatures) {
    if (!bytes.starts_with(signature.bytes)) continue;
    bytes.remove_prefix(signature.bytes.size());
    from = signature.charset;
    break;
  }
  if (from.empty()) {
    const char* wide = utf16_without_signature(bytes);
    from = wide != nullptr ? wide : is_utf8(bytes) ? "UTF-8" : guessed_charset(bytes);
  }
  if (from == "UTF-8") return repaired_utf8(bytes);
  Converter converter(from);
  if (!converter.is_open()) return repaired_utf8(bytes);
  return converter.convert(bytes);
}

}  // namespace glyphreel::media
