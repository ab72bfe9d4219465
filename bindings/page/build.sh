#!/bin/sh
# Builds the page as a static site that works without a server and without a network: build.sh FOLDER
# The target wasm32-unknown-unknown must be installed (rustup target add wasm32-unknown-unknown).
set -e
out=${1:?build.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
. "$here/../remap.sh"
(cd "$here" && cargo build --release --locked --target wasm32-unknown-unknown)
target=${CARGO_TARGET_DIR:-$here/target}
mkdir -p "$out/example"
cp "$target/wasm32-unknown-unknown/release/bone_layer_page.wasm" "$out/bone-layer-page.wasm"
cp "$root"/crates/live/page/*.js "$root"/crates/live/page/style.css "$here/local.js" "$here/worker.js" "$out/"
cp "$root/examples/walk/rig.ron" "$root/examples/walk/"*.svg "$out/example/"
policy="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' blob: data:"
sed -e "s|<head>|<head>\n<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">|" \
    -e 's|<script type="module" src="main.js"|<script type="module" src="local.js"></script>\n&|' \
    "$root/crates/live/page/index.html" > "$out/index.html"
grep -q local.js "$out/index.html"
(cd "$out/example" && ls | sed 's/.*/"&"/' | paste -sd, - | sed 's/.*/[&]/') > "$out/example.json"
files=$(cd "$out" && find . -type f ! -name offline.js | LC_ALL=C sort | sed 's/.*/, "&"/' | tr -d '\n')
version=$(cd "$out" && find . -type f ! -name offline.js | LC_ALL=C sort | xargs cat | cksum | cut -d' ' -f1)
sed -e "s|VERSION|$version|" -e "s|\"./\" /\* FILES \*/|\"./\"$files|" "$here/offline.js" > "$out/offline.js"
echo "$out: open it from any server of files"
