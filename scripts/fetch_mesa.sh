#!/usr/bin/env bash
# Puts a lavapipe that imports dma-bufs into FOLDER: scripts/fetch_mesa.sh FOLDER
#   Mesa 24.3 and later can; Debian 12 has it in its backports alone, which are fetched from the configured mirror and
#   unpacked aside: nothing is installed, and no list of packages but FOLDER's own changes.
# FOLDER/lvp_icd.json is the driver for VK_DRIVER_FILES, FOLDER/lib what LD_LIBRARY_PATH must name. Exit status 0: it is
# there (fetched once only); 1: it could not be fetched, with the reason; 3: no need, the installed Mesa can.
set -euo pipefail
[[ $# -eq 1 ]] || { sed -n '2,6s/^# //p' "${BASH_SOURCE[0]}"; exit 2; }

codename=$(source /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
[[ $codename == bookworm ]] || { echo "no other Mesa is fetched for '$codename'"; exit 3; }

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
# apt's own user, who may not write here, would only be warned about.
[[ $(id -u) -ne 0 ]] || options+=(-o APT::Sandbox::User=root)
log=$work/apt.log
if ! { apt-get "${options[@]}" update &&
       cd "$work/archives" &&
       apt-get "${options[@]}" download {mesa-vulkan-drivers,libdrm2,libdrm-amdgpu1,libdrm-intel1}/bookworm-backports
     } > "$log" 2>&1; then
  echo "Mesa could not be fetched from bookworm-backports:" >&2
  tail -3 "$log" >&2
  exit 1
fi
for package in "$work"/archives/*.deb; do dpkg-deb -x "$package" "$work/unpacked"; done

rm -rf "$folder/lib"
mv "$work"/unpacked/usr/lib/*-linux-gnu "$folder/lib"
# Last: its presence says that all else is there.
cat > "$folder/lvp_icd.json" <<JSON
{ "file_format_version": "1.0.1",
  "ICD": { "library_path": "$folder/lib/libvulkan_lvp.so", "api_version": "1.4.305" } }
JSON
