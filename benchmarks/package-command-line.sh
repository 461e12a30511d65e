#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Packs bin/symshuffle with all that it builds, for machines without Maven or a network:
#
#   benchmarks/package-command-line.sh [FILE] [SPARK VERSION...]
#
# The defaults are benchmarks/target/command-line.tar.gz and 4.2. Where the archive is unpacked, bin/symshuffle needs a
# Java runtime and SPARK_HOME, or SYMSHUFFLE_SPARK_JARS with the jars folder of a Spark.
#
# The kernels are compiled, so that GPUs can be used; that needs nvcc. Environment:
#
#   MAVEN_ARGS       options for Maven, for example -o or -Dkernels.architectures=90
#   ARCHIVE_VERSION  what the command version prints, instead of the version of the tree
#   ARCHIVE_FOLDER   a folder for all files in the archive
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
file=$(realpath -m -- "${1:-$root/benchmarks/target/command-line.tar.gz}")
versions=("${@:2}")
((${#versions[@]} > 0)) || versions=(4.2)
cd "$root"
content=(bin conf docs/examples LICENSE NOTICE benchmarks/run-gpu-curve.sh native/target/classes)
for spark in "${versions[@]}"; do
  # shellcheck disable=SC2086
  mvn -B -ntp -q -Dspark-runtime.skip=true ${MAVEN_ARGS:-} "-Pquick,spark-$spark" -pl benchmarks -am package
  build=target/spark-$spark
  [[ $spark != 4.2 ]] || build=target
  content+=({shuffle,plugin,benchmarks}/"$build"/classes benchmarks/"$build"/lib)
  for jar in {plugin/"$build"/symshuffle-spark,benchmarks/"$build"/symshuffle-benchmarks}-*.jar; do
    [[ $jar =~ -(tests|sources|javadoc)\.jar$ ]] || content+=("$jar")
  done
done
# Without these lists of files, the next build without the profile compiles and checks everything.
rm -rf {native,shuffle,plugin,benchmarks}/target{,/spark-4.*}/maven-status
[[ -e native/target/classes/io/symshuffle/kernel/symshuffle.fatbin ]] ||
  printf 'package-command-line: without kernels, because there is no nvcc\n' >&2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
version=${ARCHIVE_VERSION:-$(bin/symshuffle version)}
printf '%s' "${version#SymShuffle }" >"$work/archive-version"
# Two archives of the same files are the same bytes.
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w --mtime='2026-01-01 00:00:00 UTC' \
  ${ARCHIVE_FOLDER:+"--transform=s,^,$ARCHIVE_FOLDER/,"} "${content[@]}" -C "$work" archive-version |
  gzip --no-name >"$file"
printf '%s: %s MB\n' "$file" "$(du -m "$file" | cut -f1)"
