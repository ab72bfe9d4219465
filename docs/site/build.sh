#!/usr/bin/env bash
# Makes a site of the documents, in which the examples play: any server of files shows it.
#
#     docs/site/build.sh OUT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
target=${CARGO_TARGET_DIR:-$root/target}
out=$(mkdir -p "$1" && cd "$1" && pwd)
CARGO_TARGET_DIR=$target cargo build --quiet --release -p render-frames --manifest-path "$root/Cargo.toml"
CARGO_TARGET_DIR=$target/web "$root/bindings/web/build.sh" "$target/bone-layer"
[ -x "$target/site-tools/bin/markdown-it" ] || {
    python3 -m venv "$target/site-tools"
    "$target/site-tools/bin/pip" install --quiet markdown-it-py==4.3.0
}
"$target/site-tools/bin/python" "$here/build.py" "$out" "$target/bone-layer" "$target/release/render-frames"
