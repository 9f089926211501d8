#include "media/still/small_png.h"

#include <libdeflate.h>

#include <memory>
#include <new>

#include "base/io/byte_order.h"

namespace glyphreel::media {

std::string png_chunk(std::string_view type, std::string_view content) {
  std::string chunk;
  append_big(chunk, static_cast<std::uint32_t>(content.size()));
  chunk += type;
  chunk += content;
  append_big(chunk, libdeflate_crc32(0, chunk.data() + 4, chunk.size() - 4));
  return chunk;
}

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
  append_big(header, size.width);
  append_big(header, size.height);
  header += TrueColor;
  file += png_chunk("IHDR", header);
  file += png_chunk("IDAT", deflated);
  file += png_chunk("IEND", "");
  return file;
}

}  // namespace glyphreel::media
