// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An application to start.
 *
 * @param name for messages and Spark's UI
 * @param driverMemory heap of its driver, such as {@code 1g}
 * @param jars further jars that it needs
 * @param folder for its logs and the files of its executors; replaced if it exists
 */
public record ApplicationSpec(
    String name,
    SparkMaster master,
    String driverMemory,
    Map<String, String> settings,
    boolean plugin,
    List<Path> jars,
    Path folder) {}
