// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Starts benchmark applications by spark-submit, each in a process of its own, talks to them with a
 * limit on every wait, and leaves no process behind, however the command ends.
 */
package io.symshuffle.benchmarks.launch;
