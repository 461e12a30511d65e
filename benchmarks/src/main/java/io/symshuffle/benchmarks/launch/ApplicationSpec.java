// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * An application to start.
 *
 * @param name in messages and in Spark's UI
 * @param master where it runs
 * @param driverMemory heap of its driver, such as {@code 1g}
 * @param settings Spark settings
 * @param plugin whether our jar goes with it
 * @param jars further jars that go with it
 * @param folder what it logs and what its executors write; made anew
 */
public record ApplicationSpec(
    String name,
    SparkMaster master,
    String driverMemory,
    Map<String, String> settings,
    boolean plugin,
    List<Path> jars,
    Path folder) {}
