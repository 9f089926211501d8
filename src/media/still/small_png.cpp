#include "media/still/small_png.h"

#include <libdeflate.h>

#include <memory>
#include <new>
#include <string_view>

namespace glyphreel::media {
namespace {

void put_big_endian(std::string& bytes, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xff);
}

void add_chunk(std::string& file, std::string_view type, std::string_view content) {
  put_big_endian(file, static_cast<std::uint32_t>(content.size()));
  const std::size_t start = file.size();
  file += type;
  file += content;
  put_big_endian(file, libdeflate_crc32(0, file.data() + start, file.size() - start));
}

}  // namespace

std::string make_small_png(Extent size, std::span<const std::uint32_t> pixels) {
  constexpr int Level = 12;
  constexpr char UpFilter = 2;
  constexpr std::string_view TrueColor("\x08\x02\0\0\0", 5);  // 8 bits, RGB, no interlacing
  const auto width = static_cast<std::size_t>(size.width);
  std::string raw;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (i % width == 0) raw += UpFilter;
    const std::uint32_t above = i < width ? 0 : pixels[i - width];
    for (const int shift : {16, 8, 0}) raw += static_cast<char>((pixels[i] >> shift) - (above >> shift));
  }
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(Level), libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  std::string deflated(libdeflate_zlib_compress_bound(compressor.get(), raw.size()), '\0');
  deflated.resize(
      libdeflate_zlib_compress(compressor.get(), raw.data(), raw.size(), deflated.data(), deflated.size()));

  std::string file("\x89PNG\r\n\x1a\n");
  std::string header;
  put_big_endian(header, static_cast<std::uint32_t>(size.width));
  put_big_endian(header, static_cast<std::uint32_t>(size.height));
  header += TrueColor;
  add_chunk(file, "IHDR", header);
  add_chunk(file, "IDAT", deflated);
  add_chunk(file, "IEND", "");
  return file;
}

}  // namespace glyphreel::media
