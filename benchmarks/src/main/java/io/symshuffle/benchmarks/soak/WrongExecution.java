// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import java.util.List;

/**
 * An execution with a wrong value.
 *
 * @param execution its number on this arm, from 1
 * @param application Spark's ID of its application
 * @param evidence the folder with more about it
 * @param tasks the wrong tasks
 */
record WrongExecution(long execution, String application, String evidence, List<WrongTask> tasks) {}
