#!/usr/bin/env bash
# Puts the npm package together: scripts, types, the module, licences.
#
#     bindings/web/build.sh OUT [RENDER_FRAMES]     with a program, the page of all examples as well
set -euo pipefail
out=$1
program=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
target=${CARGO_TARGET_DIR:-$root/target/web}
. "$here/../remap.sh"
CARGO_TARGET_DIR=$target cargo build --quiet --profile wasm --target wasm32-unknown-unknown --no-default-features \
    --manifest-path "$root/bindings/c/Cargo.toml"
mkdir -p "$out"
node "$here/bundle.mjs" "$out"
cp "$here"/*.d.ts "$here/package.json" "$here/README.md" "$root"/LICENSE-* "$out"
python3 "$here/../notices.py" "$root/bindings/c/Cargo.toml" "$out/THIRD-PARTY.txt" \
    --no-default-features --filter-platform wasm32-unknown-unknown > /dev/null
cp "$target/wasm32-unknown-unknown/wasm/bone_layer.wasm" "$out/bone-layer.wasm"
[ -n "$program" ] || exit 0
cp "$here"/demo.* "$here"/keys.* "$out"
mkdir -p "$out/demo"
for rig in "$root"/examples/*/rig.ron; do
    name=$(basename "$(dirname "$rig")")
    "$program" pack --force "$rig" -o "$out/demo/$name.bones" > /dev/null
done
(cd "$out/demo" && printf '%s\n' *.bones | sed 's/\.bones$//' | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read().split()))' > examples.json)
