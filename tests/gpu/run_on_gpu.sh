#!/usr/bin/env bash
# Proves glyphreel on a GPU, on a bare machine that has a driver and python3, and measures it there:
#   run_on_gpu.sh [--only SECTION]... [--out FOLDER] [--limit SECONDS] [--quick] BUNDLE
#   BUNDLE     what `cmake --build BUILD --target gpu_suite` makes, packed or unpacked
#   --only     device, parity, suites, decoders, stages, depths, pipeline or start; all of them otherwise
#   --out      where gpu-results.json and gpu-results.md go (default ./gpu-results); sections that were run into the same
#              folder before stay in them
#   --limit    how long it may take (default 480): sections that do not fit say so, and fail
#   --quick    a little of each: whether it runs
# Goes on past a section that fails, and exits 1 where one did. Nothing is installed, and no network is used.
set -euo pipefail
if [[ $# -eq 0 || $1 == -h || $1 == --help ]]; then
  sed -n '2,10s/^# //p' "${BASH_SOURCE[0]}"
  exit 2
fi
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
command -v python3 >/dev/null || { echo "run_on_gpu.sh takes python3" >&2; exit 3; }

words=("${@:1:$#-1}")
bundle=${!#}
work=
if [[ -f $bundle ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  # Without the xz program, Python's own.
  python3 - "$bundle" "$work" <<'UNPACK'
import sys, tarfile
with tarfile.open(sys.argv[1]) as archive:
    archive.extractall(sys.argv[2])
UNPACK
  bundle=$(echo "$work"/*)
fi
[[ -x $bundle/bin/glyphreel ]] || { echo "run_on_gpu.sh: $bundle is no bundle of glyphreel" >&2; exit 2; }

# Drivers in a container are often mounted where no loader looks for them.
mounted=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [[ -z ${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-} && -f $mounted &&
  ! -f /etc/vulkan/icd.d/nvidia_icd.json && ! -f /usr/share/vulkan/icd.d/nvidia_icd.json ]]; then
  export VK_DRIVER_FILES=$mounted VK_ICD_FILENAMES=$mounted
  echo "run_on_gpu.sh: the Vulkan driver of $mounted" >&2
fi
PYTHONUNBUFFERED=1 python3 -B "$here/run_on_gpu.py" "${words[@]}" "$bundle"
