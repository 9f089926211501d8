#include "player/control/default_keys.h"

#include <array>

namespace glyphreel::player {
namespace {

// A command that also exists in mpv has the same keys as in mpv. On many keyboards, "=" is the "+" key
// without Shift.
constexpr auto Keys = std::to_array<DefaultKeys>({
    {"Playing", "SPACE p MBTN_RIGHT", "cycle pause", "pause or resume"},
    {"Playing", "LEFT", "seek -5", "5 seconds back"},
    {"Playing", "RIGHT", "seek 5", "5 seconds forward"},
    {"Playing", "DOWN", "seek -60", "1 minute back"},
    {"Playing", "UP", "seek 60", "1 minute forward"},
    {"Playing", "Shift+LEFT", "seek -1 exact", "1 second back, exactly"},
    {"Playing", "Shift+RIGHT", "seek 1 exact", "1 second forward, exactly"},
    {"Playing", "WHEEL_LEFT", "seek -10", "10 seconds back"},
    {"Playing", "WHEEL_RIGHT", "seek 10", "10 seconds forward"},
    {"Playing", ".", "frame-step", "next frame"},
    {"Playing", ",", "frame-back-step", "previous frame"},
    {"Playing", "[", "multiply speed 0.9091", "slower"},
    {"Playing", "]", "multiply speed 1.1", "faster"},
    {"Playing", "{", "multiply speed 0.5", "half the speed"},
    {"Playing", "}", "multiply speed 2", "twice the speed"},
    {"Playing", "BS", "set speed 1", "normal speed"},
    {"Playing", "l", "ab-loop", "loop from A to B"},
    {"Playing", "L", "cycle loop-file", "loop the file"},
    {"Playing", "PGUP", "add chapter 1", "next chapter"},
    {"Playing", "PGDWN", "add chapter -1", "previous chapter"},
    {"Playing", "> ENTER", "playlist-next", "next input"},
    {"Playing", "<", "playlist-prev", "previous input"},
    {"Sound and text", "9 / WHEEL_DOWN", "add volume -2", "quieter"},
    {"Sound and text", "0 * WHEEL_UP", "add volume 2", "louder"},
    {"Sound and text", "m", "cycle mute", "mute"},
    {"Sound and text", "#", "cycle audio", "next audio track"},
    {"Sound and text", "Ctrl++ Ctrl+= Ctrl+Shift+=", "add audio-delay 0.1", "sound later"},
    {"Sound and text", "Ctrl+- Ctrl+_", "add audio-delay -0.1", "sound earlier"},
    {"Sound and text", "j", "cycle sub", "next subtitles"},
    {"Sound and text", "v", "cycle sub-visibility", "subtitles on and off"},
    {"Sound and text", "x", "add sub-delay 0.1", "subtitles later"},
    {"Sound and text", "z", "add sub-delay -0.1", "subtitles earlier"},
    {"Picture", "g", "cycle mode", "next mode"},
    {"Picture", "c", "cycle color", "next colors"},
    {"Picture", "h", "cycle charset", "next characters"},
    {"Picture", "e", "cycle effect", "next effect"},
    {"Picture", "E", "cycle look", "next look"},
    {"Picture", "+ =", "add cell 1", "larger cells"},
    {"Picture", "-", "add cell -1", "smaller cells"},
    {"Picture", "1", "add contrast -1", "less contrast"},
    {"Picture", "2", "add contrast 1", "more contrast"},
    {"Picture", "3", "add brightness -1", "darker"},
    {"Picture", "4", "add brightness 1", "brighter"},
    {"Picture", "5", "add gamma -1", "less gamma"},
    {"Picture", "6", "add gamma 1", "more gamma"},
    {"Picture", "7", "add saturation -1", "less saturation"},
    {"Picture", "8", "add saturation 1", "more saturation"},
    {"Picture", "w", "cycle wipe", "source on the left, text on the right"},
    {"Picture", "t", "cycle split", "GPU and CPU side by side"},
    {"Window", "f F11 MBTN_LEFT_DBL", "cycle fullscreen", "fullscreen"},
    {"Window", "ESC", "set fullscreen no", "leave fullscreen"},
    {"Window", "s", "screenshot", "save picture and text"},
    {"Window", "y", "copy-text", "copy the text"},
    {"Window", "Y", "copy-ansi", "copy the text with colors"},
    {"Window", "r", "cycle record", "record to a file"},
    {"Window", "i", "cycle stats", "statistics"},
    {"Window", "?", "cycle help", "this help"},
    {"Window", "o", "cycle osd-level", "on-screen display level"},
    {"Window", "q", "quit", "quit"},
});

}  // namespace

std::span<const DefaultKeys> default_keys() {
  return Keys;
}

}  // namespace glyphreel::player
