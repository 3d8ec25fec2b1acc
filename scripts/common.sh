# shellcheck shell=bash
# Sourced by the scripts beside it: where things are, and the one way to configure a build.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${HONE_BUILD_DIR:-$root/build}
wheels=$root/build/cuda-wheels
venv=$root/build/venv

# Tools that the distribution has only in another version come from PyPI, into $venv.
export PATH=$venv/bin:$PATH

say() { printf '== %s\n' "$*"; }

# at_least VERSION WANTED
at_least() { printf '%s\n%s\n' "$2" "$1" | sort --check=quiet --version-sort; }

# The first g++ that knows C++20 well enough: 12 or newer.
find_compiler() {
  local name
  for name in g++ g++-14 g++-13 g++-12; do
    if command -v "$name" >/dev/null && at_least "$("$name" -dumpfullversion)" 12; then
      echo "$name"
      return
    fi
  done
}

# venv_pip [argument...]: pip of $venv, which sees the system's packages too.
venv_pip() {
  [[ -x $venv/bin/pip ]] || /usr/bin/python3 -m venv --system-site-packages "$venv"
  "$venv/bin/pip" --quiet --disable-pip-version-check "$@"
}

# configure [cmake argument...]: an optimised build with asserts, unless told otherwise.
configure() {
  say "configuring $build"
  if [[ ! ${CXX:-} ]]; then
    CXX=$(find_compiler)
    export CXX CC=${CXX/#g++/gcc}
  fi
  cmake -S "$root" -B "$build" -G Ninja -Wno-dev "$@"
}

# Our C++ sources, NUL-separated.
sources() {
  local folder folders=()
  for folder in ir dsl codegen runtime examples tools tests bench; do
    folders+=("$root/$folder")
  done
  find "${folders[@]}" \( -name '*.h' -o -name '*.cpp' \) -print0 | sort -z
}
