// audio_probe FILE [SECONDS:COMMAND[=VALUE]]...: plays a file's audio as the player does, and prints the
// audio clock.
//
// Runs the commands in order, each at its time in seconds from the start: pause, resume, speed=X, volume=X,
// delay=X, seek=X, quit. Every 5 ms, prints "clock NOW MEDIA RATE", with NOW in monotonic seconds, or "silent
// NOW" if there is no clock. For each command, prints "did NOW COMMAND", where NOW is the time just before
// the command. At the end, prints a description of the audio output.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "media/stream/audio_stream.h"
#include "player/audio/audio_player.h"

namespace {

using namespace glyphreel;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds PictureTime{30};  // typical time from a seek to the first frame

struct Command {
  double at = 0;
  std::string name;
  double value = 0;
};

/// Reads a file's audio packets in place of the player's demuxer thread.
class PacketReader {
 public:
  explicit PacketReader(const char* path) {
    if (avformat_open_input(&format_, path, nullptr, nullptr) < 0 ||
        avformat_find_stream_info(format_, nullptr) < 0) {
      std::fprintf(stderr, "cannot open %s\n", path);
      std::exit(1);
    }
    index_ = av_find_best_stream(format_, AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
    if (index_ < 0) std::exit(1);
    const AVStream& found = *format_->streams[index_];
    stream_ = std::make_shared<media::AudioStream>();
    stream_->parameters.reset(avcodec_parameters_alloc());
    avcodec_parameters_copy(stream_->parameters.get(), found.codecpar);
    stream_->time_base = found.time_base;
  }
  ~PacketReader() { avformat_close_input(&format_); }
  PacketReader(const PacketReader&) = delete;
  PacketReader& operator=(const PacketReader&) = delete;

  [[nodiscard]] std::shared_ptr<media::AudioStream> stream() const { return stream_; }
  void seek(double seconds, std::uint32_t epoch) {
    target_ = seconds;
    wanted_epoch_ = epoch;
  }
  Result<media::SourceItem> read() {
    if (const std::uint32_t wanted = wanted_epoch_; wanted != epoch_) {
      epoch_ = wanted;
      av_seek_frame(format_, -1, static_cast<std::int64_t>(target_ * AV_TIME_BASE), AVSEEK_FLAG_BACKWARD);
    }
    auto packet = std::make_shared<media::AudioPacket>();
    packet->packet = media::new_packet();
    packet->time_base = stream_->time_base;
    packet->epoch = epoch_;
    while (av_read_frame(format_, packet->packet.get()) >= 0) {
      if (packet->packet->stream_index == index_) return media::SourceItem(std::move(packet));
      av_packet_unref(packet->packet.get());
    }
    return media::SourceItem(media::EndOfStream{});
  }

 private:
  AVFormatContext* format_ = nullptr;
  int index_ = -1;
  std::shared_ptr<media::AudioStream> stream_;
  std::atomic<double> target_ = 0;
  std::atomic<std::uint32_t> wanted_epoch_ = 0;
  std::uint32_t epoch_ = 0;
};

double seconds(Clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

Command parse(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.find('=');
  Command command;
  command.at = std::atof(text.substr(0, colon).c_str());
  command.name = text.substr(colon + 1, equals == std::string::npos ? equals : equals - colon - 1);
  if (equals != std::string::npos) command.value = std::atof(text.substr(equals + 1).c_str());
  return command;
}

void play(PacketReader& reader, player::AudioPlayer& audio, const std::vector<Command>& commands) {
  std::uint32_t epoch = 0;
  while (!audio.is_filled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  audio.start(epoch, 0);
  const Clock::time_point begin = Clock::now();
  std::size_t next = 0;
  while (!audio.ended()) {
    const Clock::time_point now = Clock::now();
    if (const auto reading = audio.clock()) {
      std::printf("clock %.6f %.6f %.4f\n", seconds(reading->at), reading->media_seconds, reading->rate);
    } else {
      std::printf("silent %.6f\n", seconds(now));
    }
    for (; next < commands.size() && std::chrono::duration<double>(now - begin).count() >= commands[next].at;
         ++next) {
      const Command& command = commands[next];
      // The time is read before the command, since the audio may react before this thread runs again.
      const double asked = seconds(Clock::now());
      if (command.name == "pause") audio.pause();
      if (command.name == "resume") audio.resume();
      if (command.name == "speed") audio.set_speed(command.value);
      if (command.name == "volume") audio.set_volume(command.value);
      if (command.name == "delay") audio.set_delay(command.value);
      if (command.name == "seek") {
        reader.seek(command.value, ++epoch);
        audio.seek(epoch, command.value);
        std::this_thread::sleep_for(PictureTime);
        audio.start(epoch, command.value);
      }
      std::printf("did %.6f %s\n", asked, command.name.c_str());
      if (command.name == "quit") return;
    }
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: audio_probe FILE [SECONDS:COMMAND[=VALUE]]...\n");
    return 2;
  }
  PacketReader reader(arguments[1]);
  std::vector<Command> commands;
  for (int i = 2; i < count; ++i) commands.push_back(parse(arguments[i]));
  auto audio =
      player::AudioPlayer::open({.stream = reader.stream(), .read = [&reader] { return reader.read(); }});
  if (!audio) {
    std::fprintf(stderr, "%s\n", audio.error().message.c_str());
    return static_cast<int>(audio.error().code);
  }
  play(reader, **audio, commands);
  std::printf("%s\n", (*audio)->description().c_str());
  return 0;
}
