// The properties of a player, which commands change and other programs read. A setter shows the new value
// over the video. Setters run only while an input plays, or as PropertySpec::cycles_while_opening allows.
// Getters may run at any time.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "player/player.h"

namespace glyphreel::player {
namespace {

constexpr PropertyDomain Flag = {.kind = PropertyKind::Flag};
constexpr PropertyDomain Text = {.kind = PropertyKind::Text};
constexpr PropertyDomain Time = {.kind = PropertyKind::Time, .min = 0};
constexpr PropertyDomain Integer = {.kind = PropertyKind::Integer};
constexpr PropertyDomain Track = {.kind = PropertyKind::Integer, .min = 0, .zero = "no"};
constexpr PropertyDomain Delay = {.kind = PropertyKind::Number, .min = -100, .max = 100};
constexpr PropertyDomain Percent = {.kind = PropertyKind::Number, .min = 0, .max = 100};
constexpr PropertyDomain Speed = {
    .kind = PropertyKind::Number, .min = PlaybackControls::MinSpeed, .max = PlaybackControls::MaxSpeed};
constexpr PropertyDomain Volume = {
    .kind = PropertyKind::Number, .min = 0, .max = PlaybackControls::MaxVolume};
constexpr PropertyDomain Share = {.kind = PropertyKind::Number, .min = 0, .max = 1};
constexpr PropertyDomain Scale = {.kind = PropertyKind::Number, .min = 0, .max = 100};
constexpr PropertyDomain OsdLevel = {.kind = PropertyKind::Integer, .min = 0, .max = 3};

double number(const PropertyValue& value) {
  return std::get<double>(value);
}
bool flag(const PropertyValue& value) {
  return std::get<bool>(value);
}
Error refused(std::string message) {
  return {ErrorCode::Usage, std::move(message), {}};
}

}  // namespace

/// The getters and setters of the properties.
struct PlayerProperties {
  using StopReason = Player::StopReason;
  using Clock = Player::Clock;

  static const PlaybackControls& controls(const Player& player) {
    return player.playback_ ? player.playback_->controls() : player.controls_;
  }

  // Playback.
  static PropertyValue pause(const Player& player) { return controls(player).paused; }
  static Result<void> set_pause(Player& player, const PropertyValue& value) {
    player.playback_->set_paused(flag(value), Clock::now());
    player.osd_.show_progress();
    return {};
  }
  static PropertyValue speed(const Player& player) { return controls(player).speed; }
  static Result<void> set_speed(Player& player, const PropertyValue& value) {
    player.playback_->set_speed(number(value), Clock::now());
    player.osd_.show_message("speed", fmt::format("Speed: {:.2f}", controls(player).speed));
    return {};
  }
  static PropertyValue time_pos(const Player& player) {
    if (!player.playback_) return {};
    return player.playback_->position(Clock::now());
  }
  static Result<void> set_time_pos(Player& player, const PropertyValue& value) {
    player.playback_->seek(number(value), media::SeekMode::Exact);
    player.osd_.show_progress();
    return {};
  }
  static PropertyValue duration(const Player& player) {
    if (!player.playback_ || !player.playback_->duration()) return {};
    return *player.playback_->duration();
  }
  static PropertyValue percent_pos(const Player& player) {
    const PropertyValue all = duration(player);
    if (!std::holds_alternative<double>(all) || number(all) <= 0) return {};
    return std::clamp(100 * number(time_pos(player)) / number(all), 0.0, 100.0);
  }
  static Result<void> set_percent_pos(Player& player, const PropertyValue& value) {
    const PropertyValue all = duration(player);
    if (!std::holds_alternative<double>(all) || number(all) <= 0)
      return refused("The duration of this input is unknown, so seeking to a percentage is impossible.");
    return set_time_pos(player, number(all) * number(value) / 100);
  }
  static PropertyValue seeking(const Player& player) {
    return player.playback_ && player.playback_->is_seeking();
  }
  static PropertyValue loop_file(const Player& player) {
    return player.loop_.whole_file || (player.playback_ && player.playback_->will_repeat());
  }
  static Result<void> set_loop_file(Player& player, const PropertyValue& value) {
    player.loop_.whole_file = flag(value);
    if (!player.loop_.whole_file) player.playback_->end_repeats();
    player.sync_loop();
    player.osd_.show_message("loop-file", player.loop_.whole_file ? "Loop: the file" : "Loop: no");
    return {};
  }
  static PropertyValue chapter(const Player& player) {
    if (!player.playback_ || player.playback_->facts().chapters.empty()) return {};
    const double here = player.playback_->position(Clock::now());
    double current = -1;
    for (const Chapter& each : player.playback_->facts().chapters)
      current += each.start_seconds <= here ? 1 : 0;
    return current;
  }
  static Result<void> set_chapter(Player& player, const PropertyValue& value) {
    const std::vector<Chapter>& chapters = player.playback_->facts().chapters;
    if (chapters.empty()) return refused("This video has no chapters.");
    const double wanted = std::max(0.0, number(value));
    if (wanted >= static_cast<double>(chapters.size())) return refused("This is the last chapter.");
    const Chapter& target = chapters[static_cast<std::size_t>(wanted)];
    player.playback_->seek(target.start_seconds, media::SeekMode::Exact);
    const std::string title = target.title.empty() ? "" : ": " + target.title;
    player.osd_.show_message("chapter", fmt::format("Chapter {}{}", wanted + 1, title));
    player.osd_.show_progress();
    return {};
  }
  static PropertyValue chapters(const Player& player) {
    if (!player.playback_) return {};
    return static_cast<double>(player.playback_->facts().chapters.size());
  }

  // The playlist.
  static PropertyValue playlist_pos(const Player& player) {
    if (player.playlist_.current() == nullptr) return {};
    return static_cast<double>(player.playlist_.position());
  }
  static Result<void> set_playlist_pos(Player& player, const PropertyValue& value) {
    const auto position = static_cast<std::size_t>(number(value));
    if (position == player.playlist_.position()) return refused("This input is already playing.");
    player.playlist_.select(position);
    player.stop_ = StopReason::EntryChanged;
    return {};
  }
  static NumberRange playlist_range(const Player& player) {
    return {0, static_cast<double>(player.playlist_.size()) - 1};
  }
  static PropertyValue playlist_count(const Player& player) {
    return static_cast<double>(player.playlist_.size());
  }
  static PropertyValue path(const Player& player) {
    const PlaylistEntry* entry = player.playlist_.current();
    return entry != nullptr ? PropertyValue(entry->url) : PropertyValue();
  }
  static PropertyValue filename(const Player& player) {
    const PlaylistEntry* entry = player.playlist_.current();
    return entry != nullptr ? PropertyValue(PlaylistEntry{entry->url, ""}.name()) : PropertyValue();
  }
  static PropertyValue media_title(const Player& player) {
    const PlaylistEntry* entry = player.playlist_.current();
    return entry != nullptr ? PropertyValue(player.title_of(*entry)) : PropertyValue();
  }

  // Audio.
  static PropertyValue volume(const Player& player) { return controls(player).volume; }
  static Result<void> set_volume(Player& player, const PropertyValue& value) {
    player.playback_->set_volume(number(value));
    const double percent = controls(player).volume;
    player.osd_.show_message("volume", fmt::format("Volume: {:.0f} %", percent),
                             percent / PlaybackControls::MaxVolume);
    return {};
  }
  static PropertyValue mute(const Player& player) { return controls(player).muted; }
  static Result<void> set_mute(Player& player, const PropertyValue& value) {
    player.playback_->set_muted(flag(value));
    player.osd_.show_message("mute", flag(value) ? "Mute: yes" : "Mute: no");
    return {};
  }
  static PropertyValue audio(const Player& player) {
    if (!player.playback_) return {};
    return static_cast<double>(std::max(0, player.playback_->facts().audio_track));
  }
  static NumberRange audio_range(const Player& player) {
    const auto count = static_cast<double>(player.playback_->facts().audio_tracks.size());
    return {std::min(1.0, count), count};
  }
  static Result<void> set_audio(Player& player, const PropertyValue& value) {
    const std::size_t count = player.playback_->facts().audio_tracks.size();
    const media::InputFacts& input = player.playback_->source().input();
    if (!player.settings_.audio.enabled)
      return refused("The sound is off because of --no-audio; start glyphreel without this option.");
    if (count < 2)
      return refused(count == 0 ? "This video has no sound." : "This video has only one audio track.");
    if (!input.is_seekable && !input.is_network())
      return refused("This input is a pipe; choose the audio track with --aid.");
    if (value != audio(player)) player.reopen_with_audio_track(static_cast<int>(number(value)));
    return {};
  }
  static PropertyValue audio_delay(const Player& player) { return controls(player).audio_delay; }
  static Result<void> set_audio_delay(Player& player, const PropertyValue& value) {
    player.playback_->set_audio_delay(number(value));
    player.osd_.show_message("audio-delay", fmt::format("Sound: {:+.0f} ms", number(value) * 1000));
    return {};
  }

  // Subtitles.
  static PropertyValue sub(const Player& player) { return static_cast<double>(player.subtitles_.selected()); }
  static NumberRange sub_range(const Player& player) {
    return {0, static_cast<double>(player.subtitles_.track_count())};
  }
  static Result<void> set_sub(Player& player, const PropertyValue& value) {
    SubtitleDisplay& display = player.subtitles_;
    if (display.track_count() == 0) return refused("This video has no subtitles; add some with --sub-file.");
    const Result<void> selected = display.select(static_cast<int>(number(value)));
    if (!selected) player.osd_.show_error(selected.error().message);
    player.osd_.show_message("sub", fmt::format("Subtitles: {}", display.selected_name()));
    return {};
  }
  static PropertyValue sub_visibility(const Player& player) { return player.subtitles_.is_visible(); }
  static Result<void> set_sub_visibility(Player& player, const PropertyValue& value) {
    player.subtitles_.set_visible(flag(value));
    player.osd_.show_message("sub-visibility", flag(value) ? "Subtitles: shown" : "Subtitles: hidden");
    return {};
  }
  static PropertyValue sub_delay(const Player& player) { return player.subtitles_.delay(); }
  static Result<void> set_sub_delay(Player& player, const PropertyValue& value) {
    player.subtitles_.set_delay(number(value));
    player.osd_.show_message("sub-delay", fmt::format("Subtitles: {:+.0f} ms", number(value) * 1000));
    return {};
  }
  /// Returns the text size factor that `Part` points to.
  template <double TextScale::*Part>
  static PropertyValue text_scale(const Player& player) {
    return player.presenter_.text_scale().*Part;
  }
  template <double TextScale::*Part>
  static Result<void> set_text_scale(Player& player, const PropertyValue& value) {
    TextScale scale = player.presenter_.text_scale();
    scale.*Part = number(value);
    player.presenter_.set_text_scale(scale);
    const char* what = Part == &TextScale::osd ? "On-screen text" : "Subtitles";
    player.osd_.show_message("text-scale",
                             fmt::format("{}: {:.0f} % of the default size", what, 100 * number(value)));
    return {};
  }

  // Picture.
  template <PictureProperty Property>
  static PropertyValue picture(const Player& player) {
    return picture_value(player.presenter_.settings(), Property);
  }
  template <PictureProperty Property>
  static Result<void> set_picture(Player& player, const PropertyValue& value) {
    return player.presenter_.set_property(Property, text_of(value));
  }
  static Result<void> step_picture(Player& player, const Command& command) {
    player.presenter_.apply_step(*command.picture_step());
    return {};
  }
  template <PictureProperty Property>
  static constexpr PropertySpec picture_spec(std::string_view name) {
    return {.name = name,
            .get = picture<Property>,
            .set = set_picture<Property>,
            .step = step_picture,
            .picture = Property};
  }
  static PropertyValue split(const Player& player) { return player.presenter_.wants_split(); }
  static Result<void> set_split(Player& player, const PropertyValue& value) {
    player.presenter_.request_split(flag(value));
    return {};
  }
  static PropertyValue wipe(const Player& player) { return player.presenter_.wipe().is_on(); }
  static Result<void> set_wipe(Player& player, const PropertyValue& value) {
    TRY(player.presenter_.set_wipe(flag(value)));
    player.osd_.show_message("wipe", flag(value) ? "Source | text: drag the line" : "Source | text: off");
    return {};
  }
  static PropertyValue wipe_share(const Player& player) { return player.presenter_.wipe().share(); }
  static Result<void> set_wipe_share(Player& player, const PropertyValue& value) {
    player.presenter_.wipe().set_share(number(value));
    return {};
  }

  // Window.
  static PropertyValue fullscreen(const Player& player) {
    return player.presenter_.has_output() ? player.presenter_.output().is_fullscreen()
                                          : player.settings_.window.fullscreen;
  }
  static Result<void> set_fullscreen(Player& player, const PropertyValue& value) {
    player.presenter_.output().set_fullscreen(flag(value));
    return {};
  }
  static PropertyValue record(const Player& player) { return player.recording_.is_recording(); }
  static Result<void> set_record(Player& player, const PropertyValue& value) {
    player.set_recording(flag(value));
    return {};
  }
  static PropertyValue stats(const Player& player) { return player.osd_.state().page == OsdPage::Statistics; }
  static Result<void> set_stats(Player& player, const PropertyValue& value) {
    if (stats(player) != value) player.osd_.toggle_statistics();
    return {};
  }
  static std::optional<GridSize> osd_grid(const Player& player) {
    return player.presenter_.grid() ? std::optional(player.presenter_.text().osd_grid()) : std::nullopt;
  }
  static PropertyValue help(const Player& player) { return player.osd_.state().page == OsdPage::Help; }
  static Result<void> set_help(Player& player, const PropertyValue& value) {
    while (help(player) != value) player.osd_.turn_help_page(osd_grid(player));
    return {};
  }
  static Result<void> turn_help_page(Player& player, const Command&) {
    player.osd_.turn_help_page(osd_grid(player));
    return {};
  }
  static PropertyValue osd_level(const Player& player) {
    return static_cast<double>(player.osd_.state().level);
  }
  static Result<void> set_osd_level(Player& player, const PropertyValue& value) {
    player.osd_.state().level = static_cast<int>(number(value));
    player.osd_.show_message("osd-level", fmt::format("On-screen display level: {}", number(value)));
    return {};
  }

  static bool always(const Player&) { return true; }
  static bool is_recording(const Player& player) { return player.recording_.is_recording(); }
};

struct PropertyTable : private PlayerProperties {
  using P = PictureProperty;
  static constexpr auto Table = std::to_array<PropertySpec>({
      {"pause", "Whether playback is paused", Flag, pause, set_pause},
      {"speed", "Playback speed", Speed, speed, set_speed},
      {"time-pos", "Position in the input; setting it seeks", Time, time_pos, set_time_pos},
      {"percent-pos", "Position in percent of the duration", Percent, percent_pos, set_percent_pos},
      {"duration", "Length of the input in seconds", Time, duration},
      {"seeking", "Whether a seek is in progress", Flag, seeking},
      {"loop-file", "Whether the input repeats", Flag, loop_file, set_loop_file},
      {"chapter", "Number of the current chapter, counted from 0; -1 before the first chapter", Integer,
       chapter, set_chapter},
      {"chapters", "Number of chapters", Integer, chapters},
      {.name = "playlist-pos",
       .help = "Number of the current input, counted from 0",
       .values = Integer,
       .get = playlist_pos,
       .set = set_playlist_pos,
       .range = playlist_range},
      {"playlist-count", "Number of inputs", Integer, playlist_count},
      {"path", "Path or URL of the input", Text, path},
      {"filename", "File name of the input", Text, filename},
      {"media-title", "Title in the playlist or in the input, or else the file name", Text, media_title},
      {"volume", "Perceived loudness in percent", Volume, volume, set_volume},
      {"mute", "Whether the sound is off", Flag, mute, set_mute},
      {.name = "audio",
       .help = "Number of the audio track, counted from 1; also called aid",
       .values = Track,
       .get = audio,
       .set = set_audio,
       .range = audio_range},
      {"audio-delay", "Delay of the sound in seconds", Delay, audio_delay, set_audio_delay},
      {.name = "sub",
       .help = "Number of the subtitle track, counted from 1; 0 or no turns subtitles off; also called sid",
       .values = Track,
       .get = sub,
       .set = set_sub,
       .range = sub_range},
      {"sub-visibility", "Whether subtitles are shown", Flag, sub_visibility, set_sub_visibility},
      {"sub-delay", "Delay of the subtitles in seconds", Delay, sub_delay, set_sub_delay},
      {"sub-scale", "Scale factor for subtitles", Scale, text_scale<&TextScale::subtitles>,
       set_text_scale<&TextScale::subtitles>},
      {"osd-scale", "Scale factor for on-screen text", Scale, text_scale<&TextScale::osd>,
       set_text_scale<&TextScale::osd>},
      picture_spec<P::Mode>("mode"),
      picture_spec<P::Color>("color"),
      picture_spec<P::Charset>("charset"),
      picture_spec<P::Effect>("effect"),
      picture_spec<P::Cell>("cell"),
      picture_spec<P::Contrast>("contrast"),
      picture_spec<P::Brightness>("brightness"),
      picture_spec<P::Gamma>("gamma"),
      picture_spec<P::Saturation>("saturation"),
      picture_spec<P::Legibility>("legibility"),
      picture_spec<P::Stability>("stability"),
      picture_spec<P::Dither>("dither"),
      picture_spec<P::Palette>("palette"),
      picture_spec<P::Reverse>("reverse"),
      picture_spec<P::Invert>("invert"),
      picture_spec<P::AutoLevels>("auto-levels"),
      picture_spec<P::Fg>("fg"),
      picture_spec<P::Bg>("bg"),
      picture_spec<P::Font>("font"),
      picture_spec<P::Fit>("fit"),
      picture_spec<P::ToneMapping>("tone-mapping"),
      picture_spec<P::Glow>("glow"),
      picture_spec<P::Scanlines>("scanlines"),
      picture_spec<P::Look>("look"),
      {"split", "Whether the GPU's and the CPU's pictures are shown side by side", Flag, split, set_split},
      {"wipe", "Whether the left part shows the source video", Flag, wipe, set_wipe},
      {"wipe-position", "Fraction of the width that shows the source", Share, wipe_share, set_wipe_share},
      {.name = "fullscreen",
       .help = "Whether the window fills the screen",
       .values = Flag,
       .get = fullscreen,
       .set = set_fullscreen,
       .cycles_while_opening = always},
      {.name = "record",
       .help = "Whether playback is being recorded to a file",
       .values = Flag,
       .get = record,
       .set = set_record,
       .cycles_while_opening = is_recording},
      {"stats", "Whether the statistics are shown", Flag, stats, set_stats},
      {.name = "help",
       .help = "Whether the pages of keys are shown; \"cycle help\" shows the next page",
       .values = Flag,
       .get = help,
       .set = set_help,
       .step = turn_help_page},
      {"osd-level", "On-screen display level", OsdLevel, osd_level, set_osd_level},
  });
};

std::span<const PropertySpec> property_table() {
  return PropertyTable::Table;
}

}  // namespace glyphreel::player
