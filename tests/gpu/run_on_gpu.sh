#!/usr/bin/env bash
# Tests and measures glyphreel on a GPU, on a machine that has only a driver and python3:
#   run_on_gpu.sh [--only SECTION]... [--out FOLDER] [--limit SECONDS] [--quick] BUNDLE
#   BUNDLE     made by `cmake --build BUILD --target gpu_suite`; packed or unpacked
#   --only     device, parity, suites, decoders, stages, host, shaders, depths, pipeline or start; default: all
#   --out      where gpu-results.json and gpu-results.md are written (default ./gpu-results); results of earlier sections
#              in the same folder are kept
#   --limit    time limit for all sections together, in seconds (default 480); sections without time left fail
#   --quick    run only a small part of each section, to check that the section works
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

# Prints the path of NVIDIA's Vulkan driver, a library in the dynamic linker's cache or in LD_LIBRARY_PATH. Without X,
# libGLX_nvidia does not load, but libEGL_nvidia is a Vulkan driver too.
nvidia_library() {
  local name folder
  for name in libGLX_nvidia.so.0 libEGL_nvidia.so.0; do
    for folder in $(tr : ' ' <<<"${LD_LIBRARY_PATH:-}") $(ldconfig -p | awk -v name="$name" '$1 == name {print $NF}' | xargs -rn1 dirname); do
      if [[ -f $folder/$name ]] && python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$folder/$name" 2>/dev/null; then
        echo "$folder/$name"
        return
      fi
    done
  done
}

# In containers, drivers are often mounted where the Vulkan loader does not look. In that case, name the driver's file.
if [[ -z ${VK_DRIVER_FILES:-}${VK_ICD_FILENAMES:-} && ! -f /etc/vulkan/icd.d/nvidia_icd.json &&
  ! -f /usr/share/vulkan/icd.d/nvidia_icd.json ]]; then
  driver=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
  if [[ ! -f $driver ]] && library=$(nvidia_library) && [[ -n $library ]]; then
    [[ -n $work ]] || { work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; }
    driver=$work/nvidia_icd.json
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$library" >"$driver"
  fi
  if [[ -f $driver ]]; then
    export VK_DRIVER_FILES=$driver VK_ICD_FILENAMES=$driver
    echo "run_on_gpu.sh: using the Vulkan driver ${library:-$driver}" >&2
  fi
fi
PYTHONUNBUFFERED=1 python3 -B "$here/run_on_gpu.py" "${words[@]}" "$bundle"
