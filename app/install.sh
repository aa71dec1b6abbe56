#!/usr/bin/env bash
# Installs the Debian packages that Stele is built and tested with, and nothing where they are all there.
# As root, or as a user with sudo; never asks.
set -euo pipefail

packages=(
  cmake ninja-build g++ pkg-config ccache mold           # the build
  llvm-19-dev                                            # code generation
  libonnx-dev libprotobuf-dev protobuf-compiler          # ONNX
  libsqlite3-dev libzstd-dev libxxhash-dev zlib1g-dev    # sessions, compressed arrays
  libfmt-dev nlohmann-json3-dev libcli11-dev             # text, JSON, command line
  libgraphviz-dev                                        # layout
  libimgui-dev libglfw3-dev libgl-dev libopengl-dev libegl-dev libstb-dev   # the window
  libgl1-mesa-dri libegl1 libegl-mesa0 libglx-mesa0      # OpenGL in software where there is no GPU
  catch2 libonnx-testdata xvfb                           # tests
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "install.sh: this is not a Debian; Stele needs what these packages hold: ${missing[*]}" >&2
  exit 3
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "install.sh: needs root or sudo to install ${missing[*]}" >&2; exit 3; }
  as_root=(sudo)
  [ -t 0 ] || as_root=(sudo -n)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null; }

echo "Installing ${#missing[@]} packages: ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "install.sh: apt-get failed (its last lines stand above)" >&2
  exit 3
fi
