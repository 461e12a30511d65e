#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Packs bin/symshuffle with all that it builds, for machines without Maven or a network:
#
#   benchmarks/package-command-line.sh [FILE]     (default: benchmarks/target/command-line.tar.gz)
#
# Unpack FILE there, and set in the environment:
#
#   SYMSHUFFLE_NO_BUILD=1
#   SYMSHUFFLE_SPARK_JARS  the jars folder of a Spark 4.2
#   JAVA_HOME              a Java 25 runtime
#
# The kernels are compiled, so that GPUs can be used; that needs nvcc. MAVEN_ARGS is passed to Maven, for example -o
# or -Dkernels.architectures=90.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
file=$(realpath -m -- "${1:-$root/benchmarks/target/command-line.tar.gz}")
cd "$root"
mvn -B -ntp -q ${MAVEN_ARGS:-} -Pruntime,quick -pl benchmarks -am package
# bin/symshuffle compares the times of sources with this file's. Without the lists of files, the next build without
# the profile compiles and checks everything.
touch benchmarks/target/.symshuffle-built
rm -rf {native,shuffle,plugin,benchmarks}/target/maven-status
[[ -e native/target/classes/io/symshuffle/kernel/symshuffle.fatbin ]] \
  || printf 'package-command-line: without kernels, because there is no nvcc\n' >&2
tar --create --gzip --file "$file" bin pom.xml benchmarks/run-whole-node.sh {native,shuffle,plugin,benchmarks}/target/classes \
  plugin/target/symshuffle-spark-*.jar benchmarks/target/{lib,.symshuffle-built} \
  benchmarks/target/symshuffle-benchmarks-*[0-9T].jar
printf '%s: %s MB\n' "$file" "$(du -m "$file" | cut -f1)"
