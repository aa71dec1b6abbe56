#!/usr/bin/env bash
# Replays pictures.script on a sample model without a window, and sees to it that every picture is there and is a picture.
# PICTURES: where they go (default: a folder that is removed afterwards). MODEL: what is opened.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
model=${MODEL:-$here/../../samples/transformer/model.onnx}
pictures=${PICTURES:-}
if [ -z "$pictures" ]; then
  pictures=$(mktemp -d)
  trap 'rm -rf "$pictures"' EXIT
fi

status=0
"$BIN/stele-gui" "$model" --script "$here/pictures.script" --screenshot "$pictures" --timing || status=$?
if [ "$status" = 3 ]; then
  echo "SKIPPED pictures_test: nothing can be drawn on this machine"
  exit 0
fi
[ "$status" = 0 ] || exit "$status"
for name in $(sed -n 's/^screenshot //p' "$here/pictures.script"); do
  [ "$(head -c 4 "$pictures/$name.png" | tail -c 3)" = PNG ] || { echo "$name.png is no picture"; exit 1; }
done

# What cannot be done is said in one line, with the status that says whose fault it is.
expect() {  # STATUS ARGUMENT…
  local wanted=$1 got=0
  shift
  "$BIN/stele-gui" "$@" --screenshot "$pictures" > /dev/null 2> "$pictures/error" || got=$?
  [ "$got" = "$wanted" ] || { echo "stele-gui $*: status $got, expected $wanted"; cat "$pictures/error"; exit 1; }
  [ "$(wc -l < "$pictures/error")" = 1 ] || { echo "stele-gui $*: not one line:"; cat "$pictures/error"; exit 1; }
}
expect 2 "$pictures/no-such.onnx"
echo "fly away" > "$pictures/bad.script"
expect 2 "$model" --script "$pictures/bad.script"
