#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Collects the GPU tests and everything they need in one folder, together with the scripts run-gpu-*.sh, which run
# them on a machine without Maven. The subfolder spark gets the tests that need Spark:
#
#   integration-tests/package-gpu-tests.sh [FOLDER]     (default: integration-tests/target/gpu-tests)
#
# MAVEN_ARGS is passed to Maven, for example -o.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/integration-tests/target/gpu-tests}
junit=$(sed -n 's|.*<junit.platform.console.version>\(.*\)</.*|\1|p' "$root/pom.xml")
slf4j=$(sed -n 's|.*<slf4j.version>\(.*\)</.*|\1|p' "$root/pom.xml")
maven() { (cd "$root" && mvn -B -ntp -q ${MAVEN_ARGS:-} "$@"); }

maven -pl plugin,native,benchmarks,integration-tests -am package -DskipTests
rm -rf "$folder"
mkdir -p "$folder"
cp "$root"/native/target/symshuffle-native-*-tests.jar "$root"/plugin/target/symshuffle-spark-*.jar "$folder/"
for artifact in "org.junit.platform:junit-platform-console-standalone:$junit" "org.slf4j:slf4j-api:$slf4j" \
  "org.slf4j:slf4j-simple:$slf4j"; do
  maven -N org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$artifact" -DoutputDirectory="$folder"
done
rm -f "$folder"/original-*.jar
# The plugin with a slow pull; see native/src/test/cuda/slow_kernels.cu.
mkdir -p "$folder/slow/io/symshuffle/kernel"
cp "$folder"/symshuffle-spark-*.jar "$folder/slow/"
cp "$root/native/target/test-classes/io/symshuffle/kernel/slow/"* "$folder/slow/io/symshuffle/kernel/"
for jar in "$folder"/slow/*.jar; do
  "${JAVA_HOME:+$JAVA_HOME/bin/}jar" --update --file "$jar" -C "$folder/slow" io
done
rm -r "$folder/slow/io"
cp "$root"/integration-tests/run-gpu-*.sh "$folder/"
mkdir "$folder/spark"
cp "$root"/integration-tests/target/symshuffle-integration-tests-*.jar \
  "$root"/benchmarks/target/symshuffle-benchmarks-*.jar \
  "$root"/shuffle/target/symshuffle-shuffle-*-tests.jar "$folder/spark/"
"${JAVA_HOME:+$JAVA_HOME/bin/}jar" --create --file "$folder/spark/symshuffle-integration-tests-gpu.jar" \
  -C "$root/integration-tests/target/test-classes" .
unsafe=$(sed -n 's|.*<test.jvm.unsafe>\(..*\)</test.jvm.unsafe>.*|\1|p' "$root/pom.xml" | head -1)
sed -n '/<test.jvm.flags>/,/<\/test.jvm.flags>/p' "$root/integration-tests/pom.xml" \
  | sed "s|</*test.jvm.flags>||; s|\${test.jvm.unsafe}|$unsafe|" > "$folder/spark/jvm.flags"
echo "$folder: $(du -sm "$folder" | cut -f1) MB"
