#!/usr/bin/env bash
# Tests and measures glyphreel on a GPU, on a machine that has only a driver and python3:
#   run_on_gpu.sh [--only SECTION]... [--out FOLDER] [--limit SECONDS] [--quick] BUNDLE
#   BUNDLE     made by `cmake --build BUILD --target gpu_suite`; packed or unpacked
#   --only     device, parity, suites, decoders, stages, depths, pipeline or start; default: all
#   --out      where gpu-results.json and gpu-results.md are written (default ./gpu-results); results of earlier sections
#              in the same folder are kept
#   --limit    time limit for all sections (default 480); sections that do not fit fail with a message
#   --quick    a little of each section, to check that it runs
# Continues after a failed section, and exits with 1 if any failed. Installs nothing and uses no network.
set -euo pipefail
if [[ $# -eq 0 || $1 == -h || $1 == --help ]]; then
  sed -n '2,10s/^# //p' "${BASH_SOURCE[0]}"
  exit 2
fi
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
command -v python3 >/dev/null || { echo "run_on_gpu.sh needs python3" >&2; exit 3; }

words=("${@:1:$#-1}")
bundle=${!#}
work=
if [[ -f $bundle ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  # Unpacks with Python, since there may be no xz program.
  python3 - "$bundle" "$work" <<'UNPACK'
import sys, tarfile
with tarfile.open(sys.argv[1]) as archive:
    archive.extractall(sys.argv[2])
UNPACK
  bundle=$(echo "$work"/*)
fi
[[ -x $bundle/bin/glyphreel ]] || { echo "run_on_gpu.sh: $bundle is not a glyphreel bundle" >&2; exit 2; }

# In containers, drivers are often mounted where the loader does not look.
mounted=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [[ -z ${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-} && -f $mounted &&
  ! -f /etc/vulkan/icd.d/nvidia_icd.json && ! -f /usr/share/vulkan/icd.d/nvidia_icd.json ]]; then
  export VK_DRIVER_FILES=$mounted VK_ICD_FILENAMES=$mounted
  echo "run_on_gpu.sh: using the Vulkan driver $mounted" >&2
fi
PYTHONUNBUFFERED=1 python3 -B "$here/run_on_gpu.py" "${words[@]}" "$bundle"
