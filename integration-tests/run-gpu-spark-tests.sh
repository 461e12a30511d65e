#!/usr/bin/env bash
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
# Runs the tests with the tag `gpu` that need Spark and two GPUs of one machine, without Maven and without a
# network:
#
#   run-gpu-spark-tests.sh FOLDER SPARK_JARS [REPORTS]
#
# FOLDER is the output of package-gpu-tests.sh. SPARK_JARS is the jars folder of a Spark installation.
# REPORTS (default: FOLDER/reports) gets the XML reports, the logs of failed tests in target/it-logs, and all logs of
# GpuTablesIT and GpuCudaTablesIT in target/it-work. Environment, as for run-gpu-tests.sh: JAVA_HOME, TEST, LIMIT
# (seconds, default 1200). These two are skipped unless RAPIDS_JAR is the path of the RAPIDS Accelerator's jar.
# RAPIDS_LIBS is the folder of its native libraries if they are not in the jar. With SLOW_PULL=1 each pull takes at
# least 5 ms, so that memory that is freed too early shows as a checksum that differs.
set -euo pipefail

folder=$(cd "$1" && pwd)
spark=$(cd "$2" && pwd)
reports=${3:-$folder/reports}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
rapids=()
[[ -z ${RAPIDS_JAR:-} ]] || rapids+=("-Dsymshuffle.rapids.jar=$(realpath -e "$RAPIDS_JAR")")
[[ -z ${RAPIDS_LIBS:-} ]] || rapids+=("-Dsymshuffle.rapids.libs=$(realpath -e "$RAPIDS_LIBS")")
mkdir -p "$reports/spark-home/jars"
reports=$(cd "$reports" && pwd)
# Multicast objects can make the GPUs of a shared machine unusable.
export NVSHMEM_DISABLE_NVLS=1 NCCL_NVLS_ENABLE=0
export SPARK_HOME=$reports/spark-home SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_IP=127.0.0.1

plugin=$(printf '%s\n' "$folder"/${SLOW_PULL:+slow/}symshuffle-spark-*.jar | head -1)
native_tests=$(printf '%s\n' "$folder"/symshuffle-native-*-tests.jar | head -1)
junit=$(printf '%s\n' "$folder"/junit-platform-console-standalone-*.jar | head -1)
cd "$reports"
# The feed names each test when it ends: a run that is cut off leaves what it has.
exec timeout -k 5 "${LIMIT:-1200}" "$java" @"$folder/spark/jvm.flags" \
  -cp "$plugin:$folder/spark/*:$native_tests:$junit:$spark/*" -Dsymshuffle.jar="$plugin" \
  ${rapids[@]+"${rapids[@]}"} \
  org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors \
  --details=testfeed --scan-classpath "$folder/spark/symshuffle-integration-tests-gpu.jar" \
  --include-tag gpu --exclude-tag long --include-classname "${TEST:-.*\.Gpu\w+IT}" --reports-dir "$reports" \
  --config junit.jupiter.execution.timeout.default=5m
