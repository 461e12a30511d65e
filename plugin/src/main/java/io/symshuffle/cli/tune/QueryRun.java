// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import java.util.List;

/**
 * One successful execution of a Spark SQL query, from an event log.
 *
 * @param name its description: the application's job description, or else the line of code that
 *     triggered the query
 * @param seconds from its start to its end
 */
record QueryRun(String name, double seconds, List<StageFacts> stages) {}
