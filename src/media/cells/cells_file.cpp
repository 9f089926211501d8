#include "media/cells/cells_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/io/byte_order.h"
#include "media/cells/cell_codec.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {
namespace {

constexpr std::size_t TailBytes = ChunkOverhead + sizeof(std::uint64_t);

/// Parses `head`, the type and the length at the start of the chunk at `offset`.
ChunkPlace place_of(std::string_view head, std::uint64_t offset) {
  ChunkPlace place{.offset = offset};
  ByteReader reader(head);
  std::ranges::copy(reader.text(place.type.size()), place.type.begin());
  place.length = reader.get<std::uint32_t>();
  return place;
}

}  // namespace

bool CellsFile::is_cells_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, CellsSignature.size()> start{};
  return file.is_open() &&
         ::pread(file.number(), start.data(), start.size(), 0) == static_cast<ssize_t>(start.size()) &&
         std::string_view(start.data(), start.size()) == CellsSignature;
}

Result<std::unique_ptr<CellsFile>> CellsFile::open(const std::string& path) {
  std::unique_ptr<CellsFile> file(new CellsFile(path));
  file->file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file->file_.is_open() || ::fstat(file->file_.number(), &status) != 0)
    return bad_input(AVERROR(errno), "{} cannot be read; check its permissions.", path);
  file->size_ = static_cast<std::uint64_t>(status.st_size);
  Result<std::vector<ChunkPlace>> index = file->read_index();
  if (index && file->use(*index)) {
    file->is_complete_ = true;
    return file;
  }
  TRY(file->use(file->scan()));
  return file;
}

Result<std::string> CellsFile::read_bytes(std::uint64_t offset, std::size_t size) const {
  const std::string name = std::filesystem::path(path_).filename().string();
  if (offset > size_ || size > size_ - offset)
    return bad_input("{} was cut short; record the video again.", name);
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t count =
        ::pread(file_.number(), bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return bad_input(count < 0 ? AVERROR(errno) : 0,
                       "Reading {} failed; check the disk or device that contains it.", name);
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

Result<std::string> CellsFile::read(const ChunkPlace& place) const {
  TRY_ASSIGN(std::string bytes, read_bytes(place.offset, place.length + ChunkOverhead));
  const std::string_view type(place.type.data(), place.type.size());
  const std::string_view payload = std::string_view(bytes).substr(ChunkHeadBytes, place.length);
  ByteReader crc(std::string_view(bytes).substr(ChunkHeadBytes + place.length));
  const ChunkPlace found = place_of(bytes, place.offset);
  if (found.type != place.type || found.length != place.length ||
      crc.get<std::uint32_t>() != chunk_crc(type, payload)) {
    return bad_input("{} is damaged at byte {}; use another copy.",
                     std::filesystem::path(path_).filename().string(), place.offset);
  }
  return std::string(payload);
}

/// Reads the index. The last chunk of the file contains the index's position.
Result<std::vector<ChunkPlace>> CellsFile::read_index() const {
  if (size_ < TailBytes) return Error{};
  TRY_ASSIGN(
      const std::string tail,
      read({.type = {'T', 'A', 'I', 'L'}, .length = sizeof(std::uint64_t), .offset = size_ - TailBytes}));
  const auto offset = ByteReader(tail).get<std::uint64_t>();
  TRY_ASSIGN(const std::string head, read_bytes(offset, ChunkHeadBytes));
  const ChunkPlace index = place_of(head, offset);
  if (!index.is(chunk::Index)) return Error{};
  TRY_ASSIGN(const std::string payload, read(index));
  return decode_index(payload);
}

/// Finds the complete chunks of a file, up to the first damaged one.
std::vector<ChunkPlace> CellsFile::scan() const {
  std::vector<ChunkPlace> places;
  std::uint64_t offset = CellsSignature.size();
  for (;;) {
    const Result<std::string> head = read_bytes(offset, ChunkHeadBytes);
    if (!head) return places;
    ChunkPlace place = place_of(*head, offset);
    if (place.length > MaxPayload) return places;
    const Result<std::string> payload = read(place);
    if (!payload) return places;
    if (place.is(chunk::Frames)) {
      const Result<ChunkTimes> times = chunk_times(*payload);
      if (!times) return places;
      place.first_pts = times->first_pts;
      place.frames = times->frames;
    }
    places.push_back(place);
    offset += place.length + ChunkOverhead;
  }
}

/// Reads the header and the glyphs, and lists the chunks of frames and sound.
Result<void> CellsFile::use(const std::vector<ChunkPlace>& places) {
  const std::string name = std::filesystem::path(path_).filename().string();
  if (places.empty() || !places.front().is(chunk::Head))
    return bad_input("The header of {} is missing or damaged; use another copy.", name);
  TRY_ASSIGN(const std::string head, read(places.front()));
  TRY_ASSIGN(header_, decode_header(head));
  RecordedGlyphs glyphs{
      .cell = header_.cell, .font = header_.font, .fingerprint = header_.fingerprint, .glyphs = {}};
  frame_chunks_.clear();
  sound_chunks_.clear();
  for (const ChunkPlace& place : places) {
    if (place.length > MaxPayload) return bad_input("The index of {} is damaged; use another copy.", name);
    if (place.is(chunk::Frames)) {
      const bool is_in_order = frame_chunks_.empty() || place.first_pts >= frame_chunks_.back().first_pts;
      if (!is_in_order || place.frames == 0)
        return bad_input("The frames of {} are out of order; use another copy.", name);
      frame_chunks_.push_back(place);
    } else if (place.is(chunk::Sound)) {
      sound_chunks_.push_back(place);
    } else if (place.is(chunk::Glyphs)) {
      TRY_ASSIGN(const std::string payload, read(place));
      TRY(decode_glyphs(payload, glyphs.glyphs));
    }
  }
  if (frame_chunks_.empty() || glyphs.glyphs.empty())
    return bad_input("{} contains no frames; record the video again.", name);
  glyphs_ = std::make_shared<const RecordedGlyphs>(std::move(glyphs));
  return {};
}

std::int64_t CellsFile::frame_count() const {
  std::int64_t count = 0;
  for (const ChunkPlace& place : frame_chunks_) count += place.frames;
  return count;
}

}  // namespace glyphreel::media
