# shellcheck shell=bash
# Functions for ./play, ./check and the other scripts. They install missing packages, and configure and build with one
# line of progress. Bash scripts source this file; `root` must be the repository's folder.

say() { printf 'glyphreel: %s\n' "$*" >&2; }

fail() {
  local code=$1
  shift
  say "$*"
  exit "$code"
}

# show_log FILE: prints the whole log of a failed step.
show_log() {
  sed 's/^/  /' "$1" >&2
  say "the log above is $1"
}

# missing_packages LIST...: prints the packages that the list files name and that are not installed.
missing_packages() {
  local -a wanted
  mapfile -t wanted < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' -- "$@")
  local known  # ignore failures: dpkg-query fails if it does not know a package
  known=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(sed -n 's/^installed //p' <<<"$known" | sort -u)
}

# install_packages LOG LIST...: installs the missing packages of the list files, as root or with sudo.
install_packages() {
  local log=$1
  shift
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is not Debian: if the build lacks a package, install the equivalents of the packages in ${*#"$root"/}"
    return 0
  fi
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0

  local -a as_root=()
  if [[ $(id -u) -ne 0 ]]; then
    # Without a terminal, the user cannot enter a password for sudo.
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; }; then
      as_root=(sudo)
    else
      say "packages are missing, and installing them needs root; run this and start again:"
      printf '  apt-get update && apt-get install -y --no-install-recommends %s\n' "${missing[*]}" >&2
      exit 3
    fi
  fi
  # env sets the variable inside sudo, because sudo removes it from the environment.
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q)
  say "installing ${#missing[@]} packages (${missing[*]})"
  mkdir -p "$(dirname "$log")"
  # If the update fails, the existing package lists may be sufficient.
  "${apt[@]}" update >"$log" 2>&1 </dev/null || say "apt-get update failed; trying the existing package lists"
  if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    show_log "$log"
    fail 1 "the packages could not be installed: fix the problem in the log above and start again"
  fi
}

# configure PRESET: runs CMake if build/PRESET is not configured, was moved from another folder, or was configured with
# an older CMakePresets.json. Ninja reruns CMake when a CMakeLists.txt changes.
configure() {
  local preset=$1 folder=$root/build/$1
  if [[ $folder/build.ninja -nt $root/CMakePresets.json ]] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    return 0
  fi
  mkdir -p "$folder"
  say "configuring $preset"
  # --fresh discards the cache that CMake wrote in another folder or from an older preset.
  if ! (cd "$root" && cmake --fresh --preset "$preset") >"$folder/configure.log" 2>&1; then
    rm -f "$folder/build.ninja"  # so that the next run configures again
    show_log "$folder/configure.log"
    fail 1 "configuring failed: fix the problem in the log above and start again"
  fi
  # The test above needs a build.ninja newer than CMakePresets.json, but CMake leaves an unchanged build.ninja alone.
  touch "$folder/build.ninja"
}

# step_name STEP: prints a readable name of a Ninja step: the source file, or the target that is linked or generated.
step_name() {
  local name=${1##* }
  if [[ $name =~ ^(.*)/CMakeFiles/[^/]*\.dir/(.*)\.o$ ]]; then
    name=${BASH_REMATCH[1]}/${BASH_REMATCH[2]}
    if [[ $name =~ ^(.*)/Unity/unity_([0-9]+)_ ]]; then name="${BASH_REMATCH[1]} (part $((BASH_REMATCH[2] + 1)))"; fi
  fi
  printf '%s' "${name:0:60}"
}

# show_progress PRESET: reads Ninja's "[done/total] step" lines. On a terminal, shows the latest step in one line, which
# each step overwrites. Elsewhere, prints one line at the first step.
show_progress() {
  local line shown=no
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
    local percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    if [[ -t 2 ]]; then
      printf '\r\033[Kglyphreel: building %s: %3d %% %s' "$1" "$percent" "$(step_name "${BASH_REMATCH[3]}")" >&2
    elif [[ $shown == no ]]; then
      say "building $1"
    fi
    shown=yes
  done
  if [[ $shown == yes && -t 2 ]]; then printf '\r\033[K' >&2; fi
}

# build PRESET [TARGET...]: builds the targets. Prints the whole log if the build fails.
build() {
  local preset=$1 folder=$root/build/$1
  shift
  if ! NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "$@" 2>&1 </dev/null | tee "$folder/build.log" | show_progress "$preset"; then
    show_log "$folder/build.log"
    fail 1 "the build failed: see the log above"
  fi
}

# stage NAME MINUTES COMMAND...: runs a command, prints how long it took, and warns if it took more than MINUTES.
# Returns the command's exit status.
stage() {
  local name=$1 minutes=$2 start=$SECONDS status=0
  shift 2
  "$@" || status=$?
  local seconds=$((SECONDS - start)) warning=''
  if ((seconds > 60 * minutes)); then warning="; warning: its budget is $minutes min"; fi
  say "stage: $name: $((seconds / 60)) min $((seconds % 60)) s$warning"
  return "$status"
}
