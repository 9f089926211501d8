#include "media/cells/cell_codec.h"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <new>

#include "base/io/byte_order.h"

namespace glyphreel::media {
namespace {

constexpr int ColorPlanes = 6;  // background green, red, blue; foreground green, red, blue
constexpr int Classes = 8;      // of activity, for the streams of residuals
constexpr int GlyphStreams = 8;
constexpr int MaxGlyphBytes = 3;
constexpr int ColorStreams = 1 + 2 * Classes;  // for key frames; for unchanged glyphs; for changed glyphs
constexpr std::int64_t PreferredChunkCells = 1 << 21;
// Trade-off in predicting the foreground of a changed glyph: small values rely on the mean color of the cell,
// large values on the foreground of the previous frame.
constexpr int MeanDamping = 256;
constexpr int CompressionLevel = 12;  // of libdeflate; 10 is 40 % faster, but its files are 1.3 % larger
constexpr std::size_t BytesPerTimes = 8;
// Streams of which at least 5/8 are zeros are stored as runs of zeros, because a Huffman code needs at least
// one bit for each symbol.
constexpr std::size_t MinZeros = 5, OfSymbols = 8;
constexpr std::size_t LongRun = 255;  // a run of this length is not followed by a value

// Activity class by the sum of absolute residuals; larger sums have the last class.
constexpr std::array<std::uint8_t, 14> ClassOfActivity{0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6};

Error damaged() {
  return Error{ErrorCode::BadInput, "A chunk of the .cells file is damaged; record it again.", ""};
}

int bytes_per_glyph(std::size_t glyphs) {
  return glyphs <= 0x100 ? 1 : glyphs <= 0x10000 ? 2 : 3;
}

std::size_t stream_count(int glyph_bytes) {
  return static_cast<std::size_t>(glyph_bytes * GlyphStreams + ColorPlanes * ColorStreams);
}

/// Bit position of a plane's component in a color 0xFFRRGGBB.
constexpr int shift_of(int plane) {
  constexpr std::array<int, 3> Shifts{8, 16, 0};
  return Shifts[static_cast<std::size_t>(plane % 3)];
}

int activity_class(int activity) {
  return activity < static_cast<int>(ClassOfActivity.size())
             ? ClassOfActivity[static_cast<std::size_t>(activity)]
             : Classes - 1;
}

/// Median edge detector of LOCO-I.
int spatial_prediction(int left, int above, int above_left) {
  const int low = std::min(left, above);
  const int high = std::max(left, above);
  return above_left >= high ? low : above_left <= low ? high : left + above - above_left;
}

/// Appends to `runs` how many zeros precede each nonzero value, and to `values` the nonzero values. Appends
/// at least one run.
void append_runs(std::string_view stream, std::string& runs, std::string& values) {
  const std::size_t runs_before = runs.size();
  std::size_t zeros = 0;
  for (const char symbol : stream) {
    if (symbol == '\0') {
      if (++zeros < LongRun) continue;
    } else {
      values += symbol;
    }
    runs += static_cast<char>(zeros);
    zeros = 0;
  }
  if (runs.size() == runs_before) runs += static_cast<char>(LongRun);
}

/// Returns the streams of a chunk before Deflate: for each stream, its numbers of symbols and of runs; then
/// the runs of all streams; then their values.
std::string pack_streams(const std::vector<std::string>& streams) {
  std::string lengths, runs, values;
  for (const std::string& stream : streams) {
    const std::size_t runs_before = runs.size();
    const auto zeros = static_cast<std::size_t>(std::ranges::count(stream, '\0'));
    if (zeros > 0 && zeros * OfSymbols >= stream.size() * MinZeros)
      append_runs(stream, runs, values);
    else
      values += stream;
    append_little(lengths, static_cast<std::uint32_t>(stream.size()));
    append_little(lengths, static_cast<std::uint32_t>(runs.size() - runs_before));
  }
  return lengths + runs + values;
}

}  // namespace

/// The model that encoder and decoder share: the last two frames as planes, and their residuals. Planes have
/// a border of zeros: one column, one row above and one below.
class CellPlanes {
 public:
  explicit CellPlanes(GridSize grid)
      : grid_(grid),
        pitch_(static_cast<std::size_t>(grid.columns) + 1),
        size_(pitch_ * (static_cast<std::size_t>(grid.rows) + 2) + 1) {
    for (State* state : {&now_, &before_}) state->allocate(size_);
  }

  void begin_chunk(int glyph_bytes) {
    now_.clear();
    is_key_ = true;
    glyph_bytes_ = glyph_bytes;
  }
  [[nodiscard]] int glyph_bytes() const { return glyph_bytes_; }

  /// Codes one frame. `code(stream, prediction, actual)` writes or reads a residual and returns the actual
  /// value, modulo 256; the decoder ignores `actual`. Returns false if a glyph is not an index into `glyphs`.
  template <class Code>
  [[nodiscard]] bool code_frame(std::span<RecordedCell> cells, const std::vector<RecordedGlyph>& glyphs,
                                Code&& code) {
    std::swap(now_, before_);
    if (!code_glyphs(cells, glyphs.size(), code)) return false;
    const auto first_stream = static_cast<std::size_t>(glyph_bytes_ * GlyphStreams);
    for (int plane = 0; plane < ColorPlanes; ++plane)
      code_plane(plane, first_stream + static_cast<std::size_t>(plane * ColorStreams), cells, glyphs, code);
    is_key_ = false;
    return true;
  }

 private:
  using Bytes = std::vector<std::uint8_t>;
  struct State {
    std::vector<std::uint32_t> glyphs;
    Bytes changed;  ///< 1: the cell's glyph differs from that of the frame before
    std::array<Bytes, ColorPlanes> values;
    std::array<Bytes, ColorPlanes> activity;  ///< absolute residuals

    void allocate(std::size_t size) {
      glyphs.assign(size, 0);
      changed.assign(size, 0);
      for (Bytes& plane : values) plane.assign(size, 0);
      for (Bytes& plane : activity) plane.assign(size, 0);
    }
    void clear() { allocate(glyphs.size()); }
  };

  /// Calls visit(index into planes, cell) for all cells.
  template <class Visit>
  void for_each(std::span<RecordedCell> cells, Visit&& visit) {
    std::size_t cell = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(grid_.rows); ++row) {
      const std::size_t first = (row + 1) * pitch_ + 1;
      for (std::size_t i = first; i < first + pitch_ - 1; ++i) visit(i, cells[cell++]);
    }
  }

  template <class Code>
  [[nodiscard]] bool code_glyphs(std::span<RecordedCell> cells, std::size_t count, Code& code) {
    bool is_valid = true;
    for_each(cells, [&](std::size_t i, RecordedCell& cell) {
      const Bytes& old = before_.changed;
      const int near =
          2 * (old[i] + now_.changed[i - 1] + now_.changed[i - pitch_]) + old[i + 1] + old[i + pitch_];
      const int context = is_key_ ? 0 : 1 + std::min(near, GlyphStreams - 2);
      // The symbols 0 and `last` are exchanged, so that 0 means an unchanged glyph.
      const std::uint32_t last = is_key_ ? 0 : before_.glyphs[i];
      const auto exchange = [last](std::uint32_t glyph) {
        return glyph == 0 ? last : glyph == last ? 0 : glyph;
      };
      const std::uint32_t symbol = exchange(cell.glyph);
      std::uint32_t coded = 0;
      for (int byte = 0; byte < glyph_bytes_; ++byte) {
        const int stream = byte * GlyphStreams + context;
        coded |= static_cast<std::uint32_t>(
                     code(static_cast<std::size_t>(stream), 0, static_cast<int>(symbol >> (8 * byte) & 0xff)))
                 << (8 * byte);
      }
      cell.glyph = exchange(coded);
      is_valid = is_valid && cell.glyph < count;
      now_.glyphs[i] = cell.glyph;
      now_.changed[i] = !is_key_ && cell.glyph != last ? 1 : 0;
    });
    return is_valid;
  }

  /// Codes a component of all cells. Red and blue are predicted with the residual of green.
  template <class Code>
  void code_plane(int plane, std::size_t first_stream, std::span<RecordedCell> cells,
                  const std::vector<RecordedGlyph>& glyphs, Code& code) {
    const auto index = static_cast<std::size_t>(plane);
    const int shift = shift_of(plane);
    const bool is_foreground = plane >= 3;
    const std::size_t green = is_foreground ? 3 : 0;
    Bytes& values = now_.values[index];
    Bytes& activity = now_.activity[index];
    for_each(cells, [&](std::size_t i, RecordedCell& cell) {
      std::uint32_t& color = is_foreground ? cell.foreground : cell.background;
      int predicted = predict(index, i, glyphs);
      int near = activity[i - 1] + activity[i - pitch_];
      if (!is_key_) near += before_.activity[index][i];
      if (plane > 0) near += 2 * now_.activity[index - 1][i];
      if (is_foreground) near += now_.activity[index - 3][i];
      if (index != green) predicted += now_.values[green][i] - green_prediction_[i];
      const int context = is_key_ ? 0 : 1 + now_.changed[i] * Classes + activity_class(near);
      const int value = code(first_stream + static_cast<std::size_t>(context), predicted,
                             static_cast<int>(color >> shift & 0xff));
      values[i] = static_cast<std::uint8_t>(value);
      activity[i] = static_cast<std::uint8_t>(std::abs(static_cast<std::int8_t>(value - predicted)));
      if (index == green) green_prediction_[i] = predicted;
      color = (color & ~(0xffU << shift)) | 0xff000000 | static_cast<std::uint32_t>(value) << shift;
    });
  }

  /// Predicts a component without the residual of green.
  [[nodiscard]] int predict(std::size_t plane, std::size_t i,
                            const std::vector<RecordedGlyph>& glyphs) const {
    const Bytes& values = now_.values[plane];
    if (is_key_) return spatial_prediction(values[i - 1], values[i - pitch_], values[i - pitch_ - 1]);
    const int last = before_.values[plane][i];
    if (plane < 3) return last;
    const int background = now_.values[plane - 3][i];
    const int last_background = before_.values[plane - 3][i];
    if (now_.changed[i] == 0) return last + background - last_background;
    // The mean color of a cell changes less than its two colors.
    const int coverage = glyphs[now_.glyphs[i]].coverage;
    const int last_coverage = glyphs[before_.glyphs[i]].coverage;
    const int mean = (last_background - background) * 255 + last_coverage * (last - last_background);
    const int contrast =
        (mean * coverage + MeanDamping * (last - background)) / (coverage * coverage + MeanDamping);
    return std::clamp(background + contrast, 0, 255);
  }

  const GridSize grid_;
  const std::size_t pitch_;
  const std::size_t size_;
  bool is_key_ = true;
  int glyph_bytes_ = 1;  ///< bytes per glyph number
  State now_, before_;
  std::vector<int> green_prediction_ = std::vector<int>(size_);
};

int max_chunk_frames(GridSize grid) {
  return static_cast<int>(
      std::clamp<std::int64_t>(PreferredChunkCells / std::max(1, grid.cells()), 1, MaxChunkFrames));
}

CellEncoder::CellEncoder(GridSize grid, std::int64_t chunk_length, const std::vector<RecordedGlyph>& glyphs)
    : grid_(grid),
      chunk_length_(chunk_length),
      glyphs_(glyphs),
      planes_(std::make_unique<CellPlanes>(grid)) {}
CellEncoder::~CellEncoder() = default;

bool CellEncoder::accepts(std::int64_t pts) const {
  if (times_.empty()) return true;
  const bool has_room = frames() < MinChunkFrames || pts - times_.front().pts < chunk_length_;
  return has_room && frames() < max_chunk_frames(grid_) && pts >= times_.back().pts &&
         pts - times_.back().pts <= std::numeric_limits<std::uint32_t>::max() &&
         planes_->glyph_bytes() == bytes_per_glyph(glyphs_.size());
}

void CellEncoder::add(std::span<const RecordedCell> cells, const FrameTimes& times) {
  if (times_.empty()) {
    planes_->begin_chunk(bytes_per_glyph(glyphs_.size()));
    streams_.assign(stream_count(planes_->glyph_bytes()), {});
  }
  std::vector<RecordedCell> copy(cells.begin(), cells.end());
  const auto code = [this](std::size_t stream, int predicted, int actual) {
    streams_[stream] += static_cast<char>(actual - predicted);
    return actual;
  };
  CHECK(planes_->code_frame(copy, glyphs_, code), "a recorded cell has an unknown glyph");
  times_.push_back(times);
}

std::string CellEncoder::finish() {
  std::string raw;
  std::int64_t last = times_.front().pts;
  for (const FrameTimes& times : times_) {
    append_little(raw, static_cast<std::uint32_t>(times.pts - last));
    append_little(raw, times.duration);
    last = times.pts;
  }
  raw += pack_streams(streams_);

  std::string payload;
  append_little(payload, times_.front().pts);
  append_little(payload, static_cast<std::uint32_t>(times_.size()));
  append_little(payload, static_cast<std::uint32_t>(raw.size()));
  append_little(payload, static_cast<std::uint8_t>(planes_->glyph_bytes()));
  append_deflated(payload, raw, CompressionLevel);
  times_.clear();
  return payload;
}

void append_deflated(std::string& payload, std::string_view bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  const std::size_t start = payload.size();
  payload.resize(start + libdeflate_deflate_compress_bound(compressor.get(), bytes.size()));
  payload.resize(start + libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(),
                                                     payload.data() + start, payload.size() - start));
}

Result<ChunkTimes> chunk_times(std::string_view payload) {
  ByteReader reader(payload);
  ChunkTimes times;
  times.first_pts = reader.get<std::int64_t>();
  times.frames = reader.get<std::uint32_t>();
  if (reader.failed() || times.frames == 0 || times.frames > MaxChunkFrames) return damaged();
  return times;
}

CellDecoder::CellDecoder(GridSize grid, const std::vector<RecordedGlyph>& glyphs)
    : grid_(grid), glyphs_(glyphs), planes_(std::make_unique<CellPlanes>(grid)) {}
CellDecoder::~CellDecoder() = default;

Result<std::unique_ptr<CellDecoder>> CellDecoder::open(GridSize grid,
                                                       const std::vector<RecordedGlyph>& glyphs,
                                                       std::string_view payload) {
  TRY_ASSIGN(const ChunkTimes chunk, chunk_times(payload));
  ByteReader header(payload.substr(sizeof(std::int64_t) + sizeof(std::uint32_t)));
  const auto raw_bytes = header.get<std::uint32_t>();
  const int glyph_bytes = header.get<std::uint8_t>();
  if (glyph_bytes < 1 || glyph_bytes > MaxGlyphBytes) return damaged();
  const std::size_t streams = stream_count(glyph_bytes);
  const std::size_t cells = static_cast<std::size_t>(grid.cells()) * chunk.frames;
  const std::size_t symbols = cells * static_cast<std::size_t>(glyph_bytes + ColorPlanes);
  // A stream has at most as many runs, and as many values, as symbols. The bound allows one more run.
  const std::size_t most =
      BytesPerTimes * chunk.frames + (2 * sizeof(std::uint32_t) + 1) * streams + 2 * symbols;
  if (cells > static_cast<std::size_t>(MaxChunkCells) || raw_bytes > most) return damaged();

  std::unique_ptr<CellDecoder> decoder(new CellDecoder(grid, glyphs));
  decoder->planes_->begin_chunk(glyph_bytes);
  std::string inflated(raw_bytes, '\0');
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (decompressor == nullptr) throw std::bad_alloc();
  const std::string_view deflated = header.rest();
  if (libdeflate_deflate_decompress(decompressor.get(), deflated.data(), deflated.size(), inflated.data(),
                                    inflated.size(), nullptr) != LIBDEFLATE_SUCCESS)
    return damaged();

  ByteReader raw(inflated);
  std::int64_t pts = chunk.first_pts;
  for (std::uint32_t i = 0; i < chunk.frames; ++i) {
    // Wraps instead of overflowing if the file is malicious.
    pts = static_cast<std::int64_t>(static_cast<std::uint64_t>(pts) + raw.get<std::uint32_t>());
    decoder->times_.push_back({.pts = pts, .duration = raw.get<std::uint32_t>()});
  }
  TRY(decoder->read_streams(raw, streams, symbols));
  return decoder;
}

/// Reads what pack_streams() has written. `symbols`: the number of symbols in all streams together.
Result<void> CellDecoder::read_streams(ByteReader& raw, std::size_t count, std::size_t symbols) {
  struct Lengths {
    std::uint32_t symbols = 0, runs = 0;
  };
  std::vector<Lengths> lengths(count);
  std::size_t total = 0;
  for (Lengths& each : lengths) {
    each.symbols = raw.get<std::uint32_t>();
    each.runs = raw.get<std::uint32_t>();
    total += each.symbols;
  }
  if (raw.failed() || total != symbols) return damaged();
  std::vector<std::string_view> runs;
  for (const Lengths& each : lengths) runs.push_back(raw.text(each.runs));
  symbols_.assign(symbols, '\0');
  std::size_t start = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = start + lengths[i].symbols;
    streams_.push_back(std::string_view(symbols_).substr(start, lengths[i].symbols));
    if (runs[i].empty()) {
      const std::string_view values = raw.text(lengths[i].symbols);
      std::ranges::copy(values, symbols_.begin() + static_cast<std::ptrdiff_t>(start));
    }
    std::size_t at = start;
    for (const char run : runs[i]) {
      const auto zeros = static_cast<std::uint8_t>(run);
      at += zeros;
      if (zeros == LongRun) continue;
      if (at >= end) return damaged();
      symbols_[at++] = static_cast<char>(raw.get<std::uint8_t>());
    }
    start = end;
  }
  return raw.failed() ? damaged() : Result<void>();
}

Result<void> CellDecoder::read(std::span<RecordedCell> cells) {
  bool is_short = false;
  const auto code = [&](std::size_t stream, int predicted, int) {
    std::string_view& rest = streams_[stream];
    if (rest.empty()) {
      is_short = true;
      return 0;
    }
    const int value = (predicted + static_cast<std::uint8_t>(rest.front())) & 0xff;
    rest.remove_prefix(1);
    return value;
  };
  ++next_;
  if (!planes_->code_frame(cells, glyphs_, code) || is_short) {
    next_ = static_cast<int>(times_.size());
    return damaged();
  }
  return {};
}

}  // namespace glyphreel::media
