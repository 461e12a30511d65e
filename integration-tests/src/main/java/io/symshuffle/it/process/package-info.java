// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Processes on this machine: Spark's masters, workers, submissions and executors. */
package io.symshuffle.it.process;
