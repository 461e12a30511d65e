#!/bin/sh
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Compiles CUDA sources into fatbins. Maven runs this script before it compiles Java. The script does nothing
# if the sources, the compiler and the architectures have not changed.
#
#   build-kernels.sh FOLDER "80 90 100 120" 90 symshuffle.fatbin .../kernels.cu
#
# FOLDER gets the fatbin of the fourth argument, built from the source of the fifth (machine code for each
# architecture of the second argument, PTX for the third), and kernels.properties, which describes it.
# Sources may include headers from the same folder and from native/src/main/cuda. If nvcc is not found (in
# $NVCC, the PATH, $CUDA_HOME/bin or /usr/local/cuda/bin), the script writes only kernels.properties, and the
# build continues. KERNELS=keep in the environment compiles nothing, and keeps kernels that exist.
set -eu
folder=$1
architectures=$2
ptx=$3
fatbin=$4
source=$5
here=$(cd "$(dirname "$0")" && pwd)
headers=$here/src/main/cuda
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
  echo "$fatbin: not built: $1"
  exit 0
}

if [ "${KERNELS:-}" = keep ]; then
  [ -e "$properties" ] || without "the jar was built on a machine without a GPU; mvn package builds kernels"
  exit 0
fi

nvcc=$(find_nvcc)
[ -n "$nvcc" ] || without "nvcc was not found when the jar was built"
version=$("$nvcc" --version | sed -n 's/.*, V\([0-9.]*\).*/\1/p')
known=$("$nvcc" --list-gpu-code)
wanted=
for a in $architectures; do
  if echo "$known" | grep -qx "sm_$a"; then
    wanted="$wanted $a"
  else
    echo "$fatbin: nvcc $version does not support sm_$a: skipped"
  fi
done
[ -n "$wanted" ] || without "nvcc $version supports none of the architectures $architectures"
wanted=${wanted# }

sources=$(dirname "$source")
hash=$( (cat "$sources"/*.cu "$sources"/*.h "$headers"/*.cu "$headers"/*.h "$here/build-kernels.sh"; echo "$version $wanted $ptx") | sha256sum | cut -c 1-64)
if grep -qx "hash=$hash" "$properties" 2> /dev/null; then
  echo "$fatbin: up to date"
  exit 0
fi

code=
for a in $wanted; do
  code="$code -gencode arch=compute_$a,code=sm_$a"
done
code="$code -gencode arch=compute_$ptx,code=compute_$ptx"
rm -f "$properties" "$folder"/*.fatbin
# No compression: the jar is compressed, and the tests read the PTX.
# shellcheck disable=SC2086
"$nvcc" -std=c++17 -O3 --threads 0 --no-compress $code -I "$headers" -fatbin -o "$folder/$fatbin" "$source"
printf 'fatbin=present\nnvcc=%s\narchitectures=%s\nptx=%s\nhash=%s\n' \
  "$version" "$wanted" "$ptx" "$hash" > "$properties"
echo "$fatbin: built with nvcc $version for sm_$(echo "$wanted" | sed 's/ /, sm_/g') and PTX $ptx"
