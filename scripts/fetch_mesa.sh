#!/usr/bin/env bash
# Downloads a lavapipe (Mesa's software Vulkan driver) that can import dma-bufs: scripts/fetch_mesa.sh FOLDER
#   Such imports need Mesa 24.3 or later, which Debian 12 has only in its backports. The script downloads Mesa from the
#   Debian mirror and unpacks it into FOLDER. It installs nothing, and the system's package lists do not change.
# To use it, set VK_DRIVER_FILES to FOLDER/lvp_icd.json and LD_LIBRARY_PATH to FOLDER/lib. Exit status 0: FOLDER has the
# driver, from this or an earlier run; 1: the download failed; 3: the system is not Debian 12 and needs no download.
set -euo pipefail
[[ $# -eq 1 ]] || { sed -n '2,6s/^# //p' "${BASH_SOURCE[0]}"; exit 2; }

codename=$(source /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
[[ $codename == bookworm ]] || { echo "no newer Mesa is needed for '$codename'"; exit 3; }

mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
[[ ! -e $folder/lvp_icd.json ]] || exit 0
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT

mkdir -p "$work"/{lists/partial,archives/partial,unpacked}
cat > "$work/sources.list" <<'LIST'
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm-backports main
LIST
options=(-qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$work/lists"
  -o "Dir::Cache=$work" -o "Dir::Cache::archives=$work/archives" -o Acquire::Retries=2 -o Acquire::http::Timeout=20
  -o Acquire::Languages=none)
# Avoids apt's warning that its sandbox user cannot write to this folder.
[[ $(id -u) -ne 0 ]] || options+=(-o APT::Sandbox::User=root)
log=$work/apt.log
if ! { apt-get "${options[@]}" update &&
       cd "$work/archives" &&
       apt-get "${options[@]}" download {mesa-vulkan-drivers,libdrm2,libdrm-amdgpu1,libdrm-intel1}/bookworm-backports
     } > "$log" 2>&1; then
  echo "Mesa could not be downloaded from bookworm-backports; check the network connection:" >&2
  tail -3 "$log" >&2
  exit 1
fi
for package in "$work"/archives/*.deb; do dpkg-deb -x "$package" "$work/unpacked"; done

rm -rf "$folder/lib"
mv "$work"/unpacked/usr/lib/*-linux-gnu "$folder/lib"
# This file is written last, so that it marks a complete download.
cat > "$folder/lvp_icd.json" <<JSON
{ "file_format_version": "1.0.1",
  "ICD": { "library_path": "$folder/lib/libvulkan_lvp.so", "api_version": "1.4.305" } }
JSON
