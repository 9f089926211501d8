#!/bin/sh
# Draws and plays the demo clip again: needs g++ and ffmpeg, and about three minutes on two cores.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

g++ -std=c++20 -O2 -Wall -Wextra -Werror -pthread "$here"/*.cpp -o "$work/make_demo"

"$work/make_demo" music >"$work/music.raw"
# The frames are kept without loss, because the coder goes over them twice.
colour="-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv"
# shellcheck disable=SC2086
"$work/make_demo" video | ffmpeg -hide_banner -loglevel error -y \
    -f rawvideo -pixel_format yuv420p -video_size 1280x720 -framerate 30 -i - \
    -c:v libx264 -qp 0 -preset ultrafast $colour "$work/frames.mkv"

# 845 kb/s of picture and 112 kb/s of sound for 24 s stay below 3 MB.
coder="-c:v libx264 -preset slower -tune animation -profile:v high -b:v 845k -g 90 -pix_fmt yuv420p
    -x264-params aq-mode=3:aq-strength=0.8:threads=2 -passlogfile $work/pass"
# shellcheck disable=SC2086
ffmpeg -hide_banner -loglevel error -y -i "$work/frames.mkv" $coder $colour -pass 1 -an -f null -
# shellcheck disable=SC2086
ffmpeg -hide_banner -loglevel error -y -i "$work/frames.mkv" -f s16le -ar 48000 -ac 2 -i "$work/music.raw" \
    $coder $colour -pass 2 -c:a aac -b:a 112k -shortest -movflags +faststart \
    -fflags +bitexact -map_metadata -1 -metadata title="glyphreel demo" "$here/../demo.mp4"
