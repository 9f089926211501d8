#!/usr/bin/env bash
# Compares the speed of glyphreel with that of libchafa, which converts the same frames to cells, and with that of mpv,
# which runs a ramp shader on the same Vulkan device. In each comparison, the two programs run alternately. Prints
# medians and ratios.
#
#   tests/bench/run.sh [--build DIR] [--rounds N] [--grid COLSxROWS] [--only chafa|mpv] CLIP
#
# Needs a build with -DGLYPHREEL_BENCHMARKS=ON, and ffmpeg, mpv, Xvfb and jq.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build/check
rounds=3
grid=240x67
only=
clip=
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$2; shift ;;
    --rounds) rounds=$2; shift ;;
    --grid) grid=$2; shift ;;
    --only) only=$2; shift ;;
    -*) echo "unknown option $1; see the head of this script" >&2; exit 2 ;;
    *) clip=$1 ;;
  esac
  shift
done
[ -f "$clip" ] || { echo "usage: run.sh [--build DIR] [--rounds N] [--grid CxR] [--only chafa|mpv] CLIP" >&2; exit 2; }
glyphreel=$build/src/glyphreel
work=$(mktemp -d)
xvfb=
finish() {
  [ -z "$xvfb" ] || kill "$xvfb" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

median() { sort -g | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }

against_chafa() {
  local frames=60 size round mode
  size=$(ffprobe -v error -select_streams v:0 -show_entries stream=width,height -of csv=p=0:s=x "$clip")
  # Both programs read the same decoded frames, spread over the clip, so their times do not include decoding.
  local spread=(-vf "select='not(mod(n,15))'" -fps_mode passthrough -frames:v $frames)
  ffmpeg -v error -i "$clip" "${spread[@]}" -pix_fmt rgb24 -f rawvideo "$work/frames.rgb"
  ffmpeg -v error -i "$clip" "${spread[@]}" -pix_fmt yuv420p -c:v rawvideo "$work/frames.nut"
  local color threads row
  for round in $(seq "$rounds"); do
    for color in full mono; do
      for threads in 1 $(nproc); do
        "$build/tests/bench/chafa_bench" --size "$size" --grid "$grid" --color $color --threads "$threads" \
          "$work/frames.rgb" >"$work/chafa.json"
        jq -r .ms_per_frame.median "$work/chafa.json" >>"$work/chafa-$color-$threads"
      done
    done
    for row in shape/full ramp/full ramp/mono; do
      mode=${row%/*}
      color=${row#*/}
      "$glyphreel" record --quiet --renderer cpu --mode "$mode" --color "$color" --grid "$grid" \
        --stats "$work/stats.json" --force "$work/frames.nut" -o "$work/out.txt"
      jq -r .stages.map.p50_ms "$work/stats.json" >>"$work/map-$mode-$color"
      jq -r .fps "$work/stats.json" >>"$work/fps-$mode-$color"
    done
  done
  echo "cells of $frames frames at $grid, ascii, $(nproc) CPUs; decoding excluded; medians of $rounds runs"
  # Compare with the shorter of libchafa's two times: on some machines, one thread per core is not faster than one
  # thread.
  local full mono once all best
  for color in full mono; do
    once=$(median <"$work/chafa-$color-1")
    all=$(median <"$work/chafa-$color-$(nproc)")
    printf '  %-28s %8.2f ms per frame with 1 thread, %.2f with %s\n' "libchafa, $color" "$once" "$all" "$(nproc)"
    best=$(printf '%s\n' "$once" "$all" | sort -g | head -1)
    [ $color = full ] && full=$best || mono=$best
  done
  for row in shape/full ramp/full ramp/mono; do
    all=$(median <"$work/map-${row/\//-}")
    printf '  %-28s %8.3f ms per frame, %s times as fast as libchafa in full color, %s times in mono; %s fps' \
      "glyphreel $row, CPU" "$all" "$(ratio "$full" "$all")" "$(ratio "$mono" "$all")" \
      "$(median <"$work/fps-${row/\//-}")"
    echo " with reading and writing"
  done
}

against_mpv() {
  local frames=240 round taps mode number
  mkfifo "$work/display.pipe"
  exec 3<>"$work/display.pipe"
  Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp >"$work/xvfb.log" 2>&1 &
  xvfb=$!
  read -r -t 20 number <&3 || { echo "Xvfb did not start; apt-get install xvfb" >&2; exit 3; }
  export DISPLAY=:$number
  for round in $(seq "$rounds"); do
    for taps in 4x8 1x1; do
      "$here/mpv_bench.sh" --frames 120 --taps $taps --grid "$grid" "$clip" >"$work/mpv.json"
      jq -r .fps "$work/mpv.json" >>"$work/mpv-$taps"
    done
    for mode in ramp shape; do
      "$glyphreel" play --quiet --renderer gpu --mode $mode --color fg --grid "$grid" --geometry 1920x1080+0+0 \
        --vsync immediate --untimed --frames $frames --stats "$work/stats.json" "$clip"
      jq -r .fps "$work/stats.json" >>"$work/gpu-$mode"
    done
  done
  echo "window of 1920x1080 at $grid on $(jq -r .machine.gpu "$work/stats.json"); medians of $rounds runs"
  local area center fps
  area=$(median <"$work/mpv-4x8")
  center=$(median <"$work/mpv-1x1")
  printf '  %-42s %8s fps\n' "mpv, ramp shader averaging 4x8 per cell" "$area" "mpv, ramp shader taking 1 sample per cell" "$center"
  for mode in ramp shape; do
    fps=$(median <"$work/gpu-$mode")
    printf '  %-42s %8s fps, %s and %s times\n' "glyphreel $mode, GPU" "$fps" "$(ratio "$fps" "$area")" \
      "$(ratio "$fps" "$center")"
  done
}

[ "$only" = mpv ] || against_chafa
[ "$only" = chafa ] || against_mpv
