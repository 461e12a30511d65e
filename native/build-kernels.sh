#!/bin/sh
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Compiles the CUDA sources into the resources of io.symshuffle.kernel. Maven runs it before it compiles
# Java; it does nothing if the sources, the compiler and the architectures are those of the last time.
#
#   build-kernels.sh FOLDER "80 90 100 120" 90
#
# FOLDER gets symshuffle.fatbin (all kernels: machine code for each architecture of the second argument,
# PTX for the third), device_pull.fatbin and device_pull_queue_pairs.fatbin (relocatable: linked with the
# user's NVSHMEM at run time, see nvshmem_device.h) and kernels.properties, which says what there is.
# Without nvcc (looked for in $NVCC, the PATH, $CUDA_HOME/bin and /usr/local/cuda/bin) there is only the
# last of them, and the build goes on.
set -eu
folder=$1
architectures=$2
ptx=$3
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/src/main/cuda
properties=$folder/kernels.properties
mkdir -p "$folder"

find_nvcc() {
  for candidate in "${NVCC:-}" nvcc "${CUDA_HOME:-/nonexistent}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    if [ -n "$candidate" ] && command -v "$candidate" > /dev/null 2>&1; then
      command -v "$candidate"
      return
    fi
  done
}

without() {
  rm -f "$folder"/*.fatbin
  printf 'fatbin=absent\nreason=%s\n' "$1" > "$properties"
  echo "kernels: not built: $1"
  exit 0
}

nvcc=$(find_nvcc)
[ -n "$nvcc" ] || without "nvcc was not found when the jar was built"
version=$("$nvcc" --version | sed -n 's/.*, V\([0-9.]*\).*/\1/p')
known=$("$nvcc" --list-gpu-code)
wanted=
for a in $architectures; do
  if echo "$known" | grep -qx "sm_$a"; then
    wanted="$wanted $a"
  else
    echo "kernels: nvcc $version knows no sm_$a: left out"
  fi
done
[ -n "$wanted" ] || without "nvcc $version knows none of the architectures $architectures"
wanted=${wanted# }

hash=$( (cd "$sources" && cat ./*.cu ./*.h "$here/build-kernels.sh"; echo "$version $wanted $ptx") | sha256sum | cut -c 1-64)
if grep -qx "hash=$hash" "$properties" 2> /dev/null; then
  echo "kernels: up to date"
  exit 0
fi

code=
for a in $wanted; do
  code="$code -gencode arch=compute_$a,code=sm_$a"
done
code="$code -gencode arch=compute_$ptx,code=compute_$ptx"
rm -f "$properties" "$folder"/*.fatbin
compile() {
  output=$1
  source=$2
  shift 2
  # The jar compresses; so the PTX inside stays legible for the tests.
  # shellcheck disable=SC2086
  "$nvcc" -std=c++17 -O3 --threads 2 --no-compress $code "$@" -fatbin -o "$folder/$output" "$sources/$source"
}
compile symshuffle.fatbin kernels.cu
compile device_pull.fatbin device_pull.cu -rdc=true -DSYM_NVSHMEM_QUEUE_PAIRS=0
compile device_pull_queue_pairs.fatbin device_pull.cu -rdc=true -DSYM_NVSHMEM_QUEUE_PAIRS=1
printf 'fatbin=present\nnvcc=%s\narchitectures=%s\nptx=%s\nhash=%s\n' \
  "$version" "$wanted" "$ptx" "$hash" > "$properties"
echo "kernels: built with nvcc $version for sm_$(echo "$wanted" | sed 's/ /, sm_/g') and PTX $ptx"
