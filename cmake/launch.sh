# What ./scree and ./test share: find missing packages, configure, build what changed. Sourced by them with `root` set.
# Says nothing when there is nothing to do; every message goes to stderr, so that stdout stays the program's.

readonly kEnvironmentExit=3

say() { printf 'scree: %s\n' "$*" >&2; }

# Lines of cmake/packages.txt: all names, or with `required` those that nothing can be built without. Packages for tests
# are listed when `for_tests` is set, engines to compare with when `for_peers` is, packages for commands that are there never.
packages() {
  local name kind
  while read -r name kind; do
    [[ -z $name || $name == \#* ]] && continue
    [[ ${1:-} == required && ($kind == optional || $kind == test || $kind == peer) ]] && continue
    [[ $kind == test && -z ${for_tests:-} ]] && continue
    [[ $kind == peer && -z ${for_peers:-} ]] && continue
    [[ $kind == command:* ]] && command -v "${kind#command:}" >/dev/null && continue
    printf '%s\n' "$name"
  done <"$root/cmake/packages.txt"
}

needs() {
  say "$1"
  say "it needs these packages (Debian names): $(packages required | tr '\n' ' ')"
  say "install them and call this again; the list is in cmake/packages.txt"
  exit "$kEnvironmentExit"
}

has_tools() { command -v cmake && command -v ninja && command -v npm && { command -v c++ || command -v g++; }; } >/dev/null 2>&1

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif [[ -t 0 ]]; then
    sudo "$@"
  else
    sudo -n "$@"  # no terminal to ask for a password at
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# A stamp holding the package list makes the second call free; a list that changed or a tool that vanished asks again.
install_packages() {
  local stamp=$root/build/packages${for_tests:+.test}${for_peers:+.peer}.stamp log=$root/build/packages.log
  if [[ -f $stamp && ! $root/cmake/packages.txt -nt $stamp ]] && has_tools; then return; fi

  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    has_tools || needs "this system has no apt-get, so Scree cannot install what it is built with"
    return  # installed by hand; configuring will tell
  fi
  local -a missing=() absent=()
  local name status
  declare -A installed=()
  while read -r name status; do
    [[ $status == installed ]] && installed[$name]=1
  done < <(packages | xargs dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null || true)
  for name in $(packages required); do [[ -n ${installed[$name]:-} ]] || missing+=("$name"); done
  for name in $(packages); do [[ -n ${installed[$name]:-} ]] || absent+=("$name"); done

  if ((${#missing[@]})); then
    if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
      needs "missing packages, and neither root nor sudo to install them with: ${missing[*]}"
    fi
  fi
  if ((${#absent[@]})) && { [[ $EUID -eq 0 ]] || command -v sudo >/dev/null; }; then
    say "installing packages: ${absent[*]}"
    # Package lists may be missing or stale; fetching them first each time would cost more than trying.
    if ! apt_install "${absent[@]}" >"$log" 2>&1; then
      as_root apt-get update >>"$log" 2>&1 || true
      if ((${#missing[@]})) && ! apt_install "${missing[@]}" >>"$log" 2>&1; then
        tail -n 5 "$log" >&2
        needs "could not install: ${missing[*]} (everything apt-get said is in $log)"
      fi
      for name in "${absent[@]}"; do
        [[ " ${missing[*]} " == *" $name "* ]] || apt_install "$name" >>"$log" 2>&1 ||
          say "went on without the optional package $name"
      done
    fi
  fi
  : >"$stamp"
}

configure() {
  local folder=$root/build/$1 log=$root/build/$1.configure.log
  # A checkout that was moved or copied leaves a cache that names its old place.
  if [[ -f $folder/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf -- "$folder"
  fi
  # Packages that were installed since (engines to compare with, a browser) are found by looking again.
  local is_fresh=1 newer
  for newer in "$root/CMakePresets.json" "$root"/build/packages*.stamp; do
    if [[ $newer -nt $folder/build.ninja ]]; then is_fresh=0; fi
  done
  if [[ -f $folder/build.ninja ]] && ((is_fresh)); then return; fi
  if ! (cd -- "$root" && cmake --preset "$1") >"$log" 2>&1; then
    rm -f -- "$root"/build/packages*.stamp
    grep -A6 'CMake Error' "$log" >&2 || tail -n 10 "$log" >&2
    needs "could not configure (everything cmake said is in $log)"
  fi
  touch -- "$folder/build.ninja"  # newer than the presets, even when cmake found nothing to change
}

# build PRESET [TARGET...]
build() {
  local folder=$root/build/$1 log=$root/build/$1.build.log
  shift
  local status=0
  if [[ -t 2 ]]; then
    NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "$@" 2>&1 | show_progress "$log" || status=1
  else
    [[ -d $folder/CMakeFiles/scree_cli.dir/apps ]] || say "building (the first time takes a few minutes)"
    ninja -C "$folder" "$@" >"$log" 2>&1 || status=1
  fi
  if ((status)); then
    sed -n '/^FAILED:/,$p' "$log" >&2
    grep -q '^FAILED:' "$log" || tail -n 10 "$log" >&2
    say "the build failed (everything it said is in $log)"
    exit "$kEnvironmentExit"
  fi
}

# One line that counts; gone when the build is done. Ninja's words go into the log.
show_progress() {
  local line shown=0
  : >"$1"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && ((BASH_REMATCH[2] > 3)); then
      printf '\rscree: building %s of %s ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
      shown=1
    fi
  done
  if ((shown)); then printf '\r\033[K' >&2; fi
}

# prepare PRESET [TARGET...]: packages, configuration and build, one caller at a time.
prepare() {
  if ! mkdir -p -- "$root/build" 2>/dev/null || [[ ! -w $root/build ]]; then
    say "cannot write to $root/build"
    exit "$kEnvironmentExit"
  fi
  if command -v flock >/dev/null; then
    exec 9>"$root/build/launch.lock"
    if ! flock -w 2 9; then
      say "waiting for another call that is building"
      flock 9
    fi
  fi
  install_packages
  configure "$1"
  build "$@"
  exec 9>&-  # the program must not hold the lock while it runs
}
