#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Puts the tests for GPUs and all they need into one folder, which run-gpu-tests.sh (it goes along) runs on a
# machine without Maven:
#
#   integration-tests/package-gpu-tests.sh [FOLDER]     (default: integration-tests/target/gpu-tests)
#
# MAVEN_ARGS is handed on to Maven, for example -o.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/integration-tests/target/gpu-tests}
junit=$(sed -n 's|.*<junit.platform.console.version>\(.*\)</.*|\1|p' "$root/pom.xml")
slf4j=$(sed -n 's|.*<slf4j.version>\(.*\)</.*|\1|p' "$root/pom.xml")
maven() { (cd "$root" && mvn -B -ntp -q ${MAVEN_ARGS:-} "$@"); }

maven -pl plugin,native -am package -DskipTests
rm -rf "$folder"
mkdir -p "$folder"
cp "$root"/native/target/symshuffle-native-*-tests.jar "$root"/plugin/target/symshuffle-spark-*.jar "$folder/"
for artifact in "org.junit.platform:junit-platform-console-standalone:$junit" "org.slf4j:slf4j-api:$slf4j" \
  "org.slf4j:slf4j-simple:$slf4j"; do
  maven -N org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="$artifact" -DoutputDirectory="$folder"
done
rm -f "$folder"/original-*.jar
cp "$root/integration-tests/run-gpu-tests.sh" "$folder/"
echo "$folder: $(du -sm "$folder" | cut -f1) MB"
