#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Runs all tests with the tag `gpu` that do not need Spark on all GPUs of this machine, without Maven and without a
# network:
#
#   run-gpu-tests.sh FOLDER [REPORTS]
#
# FOLDER contains the jars from package-gpu-tests.sh: the tests, the code they test, and JUnit's console launcher.
# REPORTS (default: FOLDER/reports) gets the XML reports. Environment: JAVA_HOME (Java 25), TEST (a pattern of class
# names, default: all), LIMIT (seconds, default 400). NVSHMEM is found as in production: in $NVSHMEM_HOME or in the
# Python wheel nvidia-nvshmem-cu13.
set -euo pipefail

folder=$(cd "$1" && pwd)
reports=${2:-$folder/reports}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
# Multicast objects can make the GPUs of a shared machine unusable.
export NVSHMEM_DISABLE_NVLS=1 NCCL_NVLS_ENABLE=0

scan=$(printf '%s\n' "$folder"/*-tests.jar | paste -sd:)
# The feed names each test when it ends: a run that is cut off leaves what it has.
exec timeout -k 5 "${LIMIT:-400}" "$java" --enable-native-access=ALL-UNNAMED -cp "$folder/*" \
  -Dorg.slf4j.simpleLogger.defaultLogLevel=info \
  org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors \
  --details=testfeed --scan-classpath "$scan" --include-tag gpu \
  --include-classname "${TEST:-.*}" --reports-dir "$reports" \
  --config junit.jupiter.execution.timeout.default=2m
