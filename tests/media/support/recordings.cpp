#include "recordings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <random>

#include "media/stream/audio_stream.h"
#include "pictures.h"

namespace glyphreel::test {

using namespace glyphreel::media;

Picture noise_picture(HostMemory& memory, PictureFormat format, Extent size, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed) + 1);
  Picture picture;
  picture.format = format;
  picture.size = size;
  const bool is_yuv = format == PictureFormat::Yuv420p;
  const auto area = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  picture.block = memory.acquire(is_yuv ? area * 3 / 2 : area * 4);
  std::byte* at = picture.block->bytes;
  for (std::size_t p = 0; p < (is_yuv ? 3U : 1U); ++p) {
    const int shift = p == 0 ? 0 : 1;
    const int width = is_yuv ? size.width >> shift : size.width * 4;
    const int height = size.height >> shift;
    picture.planes[p] = at;
    picture.strides[p] = width;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool repeats = is_yuv && (x % 8 != 0 || y % 8 != 0);
        *at = !repeats ? static_cast<std::byte>(16 + random() % 200) : x % 8 != 0 ? at[-1] : at[-width];
        ++at;
      }
    }
  }
  return picture;
}

namespace {

/// Returns a copy of `packet` that starts like an ADTS packet but declares an impossible length.
std::shared_ptr<const AudioPacket> damaged(const AudioPacket& packet) {
  auto copy = std::make_shared<AudioPacket>();
  copy->packet.reset(av_packet_clone(packet.packet.get()));
  copy->time_base = packet.time_base;
  if (copy->packet == nullptr || av_packet_make_writable(copy->packet.get()) < 0) throw std::bad_alloc();
  std::fill_n(copy->packet->data, copy->packet->size, std::uint8_t{0});
  copy->packet->data[0] = 0xff;
  copy->packet->data[1] = 0xf1;
  return copy;
}

}  // namespace

Recorded record(const std::string& input, const std::string& output, const RecordSettings& settings) {
  SourceOptions source_options;
  source_options.url = input;
  source_options.audio = AudioDelivery::WithFrames;
  source_options.copied = {settings.copies_tracks, settings.copies_tracks, settings.copies_tracks};
  if (settings.start_seconds) source_options.range.start = TimePosition{*settings.start_seconds};
  if (settings.end_seconds) source_options.range.end = TimePosition{*settings.end_seconds};
  const auto source = open_source(source_options);
  if (source == nullptr) return {};

  WriterOptions options;
  options.path = output;
  options.codec = settings.codec;
  options.size = source->facts().size;
  options.time_base = source->facts().time_base;
  options.frame_rate = source->facts().frame_rate;
  options.audio = source->audio();
  options.copied = source->copied();
  if (settings.start_seconds) {
    options.first_pts = source->facts().start_pts +
                        static_cast<std::int64_t>(*settings.start_seconds / options.time_base.value());
  }
  const auto format = Writer::picture_format(options);
  auto writer = Writer::open(options);
  if (!format || !writer) {
    ADD_FAILURE() << (writer ? std::string("no format") : writer.error().message);
    return {};
  }
  const auto memory = make_heap_memory();
  int audio_packets = 0;
  for (int i = 0;; ++i) {
    auto item = source->read();
    if (!item) {
      ADD_FAILURE() << item.error().message;
      return {};
    }
    if (std::holds_alternative<EndOfStream>(*item)) break;
    Result<void> written;
    if (const auto* frame = std::get_if<Frame>(&*item)) {
      written = (*writer)->write_video(noise_picture(*memory, *format, options.size, i), frame->pts,
                                       frame->duration);
    } else {
      auto packet = std::get<std::shared_ptr<const AudioPacket>>(*item);
      const int number = audio_packets++;
      if (settings.damaged_audio_every && number % *settings.damaged_audio_every == 0) {
        packet = damaged(*packet);
      }
      written = (*writer)->write_audio(*packet);
    }
    if (!written) {
      ADD_FAILURE() << written.error().message << " (" << written.error().cause << ")";
      return {};
    }
  }
  if (const auto finished = (*writer)->finish(); !finished) {
    ADD_FAILURE() << finished.error().message << " (" << finished.error().cause << ")";
    return {};
  }
  return {true, (*writer)->copies_audio(), (*writer)->damaged_packets()};
}

}  // namespace glyphreel::test
