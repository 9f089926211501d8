#!/bin/bash
# Measures the frames per second of mpv's gpu-next output with an ASCII ramp shader. Prints one JSON object.
#
#   mpv_bench.sh [--frames N] [--start SECONDS] [--grid COLSxROWS] [--taps XxY] [--device NAME] [--no-shader] CLIP
#
# mpv plays as fast as it can (--untimed) into a window of the clip's size, on the current display or on a private
# Xvfb. The clock runs from the first frame shown to the end of playback, so the time excludes startup and pipeline
# compilation. It includes decoding and drawing, because mpv overlaps them. When mpv reports the end of playback, a few
# frames are not shown yet; use a hundred frames or more to keep this error small. Without a GPU, mpv draws with Mesa's
# lavapipe.
set -euo pipefail

frames=120
start=0
grid=240x67
shader=yes
taps=4x8
device=
clip=
while [ $# -gt 0 ]; do
  case $1 in
    --frames) frames=$2; shift ;;
    --start) start=$2; shift ;;
    --grid) grid=$2; shift ;;
    --taps) taps=$2; shift ;;
    --device) device=$2; shift ;;
    --no-shader) shader=no ;;
    -*) echo "unknown option $1; see the head of this script" >&2; exit 2 ;;
    *) clip=$1 ;;
  esac
  shift
done
if [ ! -f "$clip" ]; then
  echo "usage: mpv_bench.sh [--frames N] [--start SECONDS] [--grid COLSxROWS] [--taps XxY] [--device NAME] [--no-shader] CLIP" >&2
  exit 2
fi
if ! command -v mpv >/dev/null; then
  echo "mpv is not installed; apt-get install mpv" >&2
  exit 1
fi

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
xvfb=
finish() {
  if [ -n "$xvfb" ]; then
    kill "$xvfb" || true
    wait "$xvfb" || true
  fi
  rm -rf "$work"
} 2>/dev/null
trap finish EXIT

if [ -z "${DISPLAY:-}" ]; then
  mkfifo "$work/display"
  exec 3<>"$work/display"
  Xvfb -displayfd 3 -screen 0 3840x2160x24 -nolisten tcp >"$work/xvfb.log" 2>&1 &
  xvfb=$!
  if ! read -r -t 20 number <&3; then
    echo "Xvfb did not start; apt-get install xvfb, or set DISPLAY" >&2
    exit 3
  fi
  export DISPLAY=:$number
fi

# Pass the device's name explicitly: mpv uses a software device only if it is named.
if [ -z "$device" ]; then
  device=$(mpv --no-config --vulkan-device=help | sed -n "s/^ *'\(.*\)' (GPU.*/\1/p" | sed -n 1p)
fi

options=()
if [ $shader = yes ]; then
  sed -e "s/^#define COLUMNS .*/#define COLUMNS ${grid%x*}/" -e "s/^#define ROWS .*/#define ROWS ${grid#*x}/" \
    -e "s/^#define TAPS_X .*/#define TAPS_X ${taps%x*}/" -e "s/^#define TAPS_Y .*/#define TAPS_Y ${taps#*x}/" \
    "$here/../../assets/mpv_ramp.glsl" >"$work/ramp.glsl"
  options+=(--glsl-shader="$work/ramp.glsl")
fi

# mpv sends playback-restart when the first frame is on the screen. At the end of playback the counters are unavailable, so
# store them whenever they change.
cat >"$work/clock.lua" <<'LUA'
local started, drops, delayed = nil, 0, 0
local wanted, report = mp.get_opt("wanted"), mp.get_opt("report")
mp.observe_property("frame-drop-count", "number", function(_, value) drops = value or drops end)
mp.observe_property("vo-delayed-frame-count", "number", function(_, value) delayed = value or delayed end)
mp.register_event("playback-restart", function() started = started or mp.get_time() end)
mp.register_event("end-file", function(event)
  if not started or event.reason ~= "eof" then return end
  local seconds = mp.get_time() - started
  local file = io.open(report, "w")
  file:write(string.format("%.6f %d %d\n", seconds, drops, delayed))
  file:close()
end)
LUA

version=$(mpv --version | sed -n 1p | cut -d ' ' -f 2)
if ! mpv --no-config --no-audio --no-osc --osd-level=0 --load-scripts=no --script="$work/clock.lua" \
  --script-opts="report=$work/report" --vo=gpu-next --gpu-api=vulkan --gpu-context=x11vk --vulkan-device="$device" --vulkan-swap-mode=immediate \
  --hwdec=no --untimed --framedrop=no --video-sync=audio --no-border \
  --msg-level=all=warn,vo=v --log-file="$work/mpv.log" --start="$start" --frames="$frames" "${options[@]}" \
  "$clip" >"$work/out" 2>&1 || [ ! -s "$work/report" ]; then
  cat "$work/out" >&2
  echo "mpv failed; its output is above" >&2
  exit 1
fi
read -r seconds dropped delayed <"$work/report"
awk -v version="$version" -v device="$device" -v clip="$(basename "$clip")" -v grid="$grid" -v taps="$taps" -v shader=$shader \
  -v frames="$frames" -v seconds="$seconds" -v dropped="$dropped" -v delayed="$delayed" 'BEGIN {
    shown = frames - 1 - dropped
    printf "{\"program\": \"mpv gpu-next\", \"version\": \"%s\", \"device\": \"%s\", \"clip\": \"%s\", ", version, device, clip
    printf "\"shader\": \"%s\", \"grid\": \"%s\", \"taps\": \"%s\", \"frames\": %d, \"dropped\": %d, \"delayed\": %d, ", \
      shader == "yes" ? "ramp" : "none", grid, taps, frames, dropped, delayed
    printf "\"seconds\": %.3f, \"ms_per_frame\": %.2f, \"fps\": %.2f}\n", seconds, 1000 * seconds / shown, shown / seconds
  }'
