#include "media/segment/segment_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/io/byte_order.h"
#include "media/cells/cells_format.h"

namespace glyphreel::media {
std::string encoder_identity(const AVCodecContext& encoder) {
  std::string identity = fmt::format("{} {}.{}.{} ", encoder.codec->name, LIBAVCODEC_VERSION_MAJOR,
                                     LIBAVCODEC_VERSION_MINOR, LIBAVCODEC_VERSION_MICRO);
  identity.append(reinterpret_cast<const char*>(encoder.extradata),
                  static_cast<std::size_t>(encoder.extradata_size));
  return identity;
}

Error SegmentFile::damaged(const char* what) const {
  return Error{ErrorCode::Failed,
               fmt::format("The segment {} {}; delete it so that it is recorded again.", path_, what)};
}

Result<std::unique_ptr<SegmentFile>> SegmentFile::open(const std::string& path) {
  std::unique_ptr<SegmentFile> opened(new SegmentFile(path));
  opened->file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!opened->file_.is_open() || ::fstat(opened->file_.number(), &status) != 0) {
    return Error{ErrorCode::Failed,
                 fmt::format("The segment {} cannot be read; check its permissions.", path),
                 std::strerror(errno)};
  }
  opened->size_ = static_cast<std::uint64_t>(status.st_size);
  TRY_ASSIGN(const std::string signature, opened->read_bytes(segment::Signature.size()));
  if (signature != segment::Signature) return opened->damaged("is not a segment of a recording");
  TRY_ASSIGN(const Chunk head, opened->read_chunk());
  ByteReader reader(head.payload);
  if (head.type != segment::Head || reader.get<std::uint16_t>() != segment::Version)
    return opened->damaged("was written by a different version of glyphreel");
  SegmentStart& start = opened->facts_.start;
  const bool has_predecessor = reader.get<std::uint8_t>() != 0;
  const auto pts_before = reader.get<std::int64_t>();
  if (has_predecessor) start.pts_before = pts_before;
  start.first_pts = reader.get<std::int64_t>();
  if (reader.failed()) return opened->damaged("is damaged");
  opened->encoder_ = reader.rest();
  TRY(opened->read_end());
  return opened;
}

/// Reads the last chunk, which only a complete segment has.
Result<void> SegmentFile::read_end() {
  const std::uint64_t start =
      std::exchange(offset_, size_ - std::min<std::uint64_t>(size_, segment::EndPayload + ChunkOverhead));
  TRY_ASSIGN(const Chunk end, read_chunk());
  offset_ = start;
  ByteReader reader(end.payload);
  facts_.frames = reader.get<std::int64_t>();
  facts_.last_pts = reader.get<std::int64_t>();
  if (end.type != segment::End || reader.failed()) return damaged("was cut short");
  return {};
}

Result<EncodedPicture> SegmentFile::next() {
  TRY_ASSIGN(const Chunk chunk, read_chunk());
  if (chunk.type == segment::End) return EncodedPicture{};
  ByteReader reader(chunk.payload);
  EncodedPicture picture{new_packet()};
  AVPacket& packet = *picture.packet;
  const auto pts = reader.get<std::int64_t>();
  const auto dts = reader.get<std::int64_t>();
  const auto duration = reader.get<std::int64_t>();
  const auto flags = reader.get<std::int32_t>();
  if (chunk.type != segment::Picture || reader.failed()) return damaged("is damaged");
  const std::string_view bytes = reader.rest();
  check_memory(av_new_packet(&packet, static_cast<int>(bytes.size())) >= 0);
  std::memcpy(packet.data, bytes.data(), bytes.size());
  packet.pts = pts;
  packet.dts = dts;
  packet.duration = duration;
  packet.flags = flags;
  return picture;
}

Result<SegmentFile::Chunk> SegmentFile::read_chunk() {
  TRY_ASSIGN(const std::string head, read_bytes(ChunkHeadBytes));
  ByteReader reader(head);
  Chunk chunk{.type = std::string(reader.text(4)), .payload = {}};
  const auto length = reader.get<std::uint32_t>();
  if (length > MaxPayload) return damaged("is damaged");
  TRY_ASSIGN(chunk.payload, read_bytes(length));
  TRY_ASSIGN(const std::string crc, read_bytes(ChunkOverhead - ChunkHeadBytes));
  if (ByteReader(crc).get<std::uint32_t>() != chunk_crc(chunk.type, chunk.payload))
    return damaged("is damaged");
  return chunk;
}

Result<std::string> SegmentFile::read_bytes(std::size_t size) {
  if (size > size_ - offset_) return damaged("was cut short");
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t count =
        ::pread(file_.number(), bytes.data() + done, size - done, static_cast<off_t>(offset_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return damaged("cannot be read");
    done += static_cast<std::size_t>(count);
  }
  offset_ += size;
  return bytes;
}

}  // namespace glyphreel::media
