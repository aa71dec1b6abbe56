#!/usr/bin/env bash
# Builds Stele and opens a model: bash app/run.sh [MODEL], by default the capstone sample.
# Where there is no display, prints the model's scoreboard and writes a picture of the window instead.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
model=$(realpath -- "${1:-$root/samples/capstone/model.onnx}")
binding=()
[ $# -gt 0 ] || binding=(--dim batch=32)   # the sample's free dim
cd "$root"

bash app/install.sh
cmake --preset release --log-level=WARNING
cmake --build --preset release --parallel "$(nproc)" --target stele stele-gui

bin=$root/build/release/bin
if [ -n "${DISPLAY:-}" ]; then
  status=0
  "$bin/stele-gui" "$model" || status=$?
  [ "$status" = 3 ] || exit "$status"   # 3: no window could be opened
fi
"$bin/stele" compile "$model" "${binding[@]}"
pictures=$root/build/pictures
mkdir -p "$pictures"
"$bin/stele-gui" "$model" --screenshot "$pictures"
echo
echo "There is no display here; the window's picture is in $pictures:"
ls "$pictures"
