# Sourced with $root set. Paths of panics name the sources from the root on, so that no name of a home folder is in what
# is published.
separator=$(printf '\037')
cargo_home=${CARGO_HOME:-$HOME/.cargo}
CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$(cd "$root" && pwd)/=${separator}--remap-path-prefix=$(cd "$root" && pwd -P)/="
for registry in "$cargo_home"/registry/src/*/; do
    CARGO_ENCODED_RUSTFLAGS="$CARGO_ENCODED_RUSTFLAGS${separator}--remap-path-prefix=$registry=crates/"
done
export CARGO_ENCODED_RUSTFLAGS
