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
mkdir -p "$out"
# The second one has triangles, for the adapters of graphics cards.
for module in bone-layer "bone-layer-mesh --features mesh"; do
    read -r name features <<< "$module"
    # shellcheck disable=SC2086 # Options, not one word.
    CARGO_TARGET_DIR=$target cargo build --quiet --profile wasm --target wasm32-unknown-unknown --no-default-features \
        $features --manifest-path "$root/bindings/c/Cargo.toml"
    cp "$target/wasm32-unknown-unknown/wasm/bone_layer.wasm" "$out/$name.wasm"
done
node "$here/bundle.mjs" "$out"
cp "$here"/*.d.ts "$here/package.json" "$here/README.md" "$root"/LICENSE-* "$out"
python3 "$here/../notices.py" "$root/bindings/c/Cargo.toml" "$out/THIRD-PARTY.txt" \
    --no-default-features --features mesh --filter-platform wasm32-unknown-unknown > /dev/null
[ -n "$program" ] || exit 0
cp "$here"/demo.* "$here"/keys.* "$out"
mkdir -p "$out/demo"
for rig in "$root"/examples/*/rig.ron; do
    name=$(basename "$(dirname "$rig")")
    "$program" pack --force "$rig" -o "$out/demo/$name.bones" > /dev/null
done
(cd "$out/demo" && printf '%s\n' *.bones | sed 's/\.bones$//' | python3 -c 'import json, sys; print(json.dumps(sys.stdin.read().split()))' > examples.json)
