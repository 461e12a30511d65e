// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * What the command line and a Spark application that runs benchmarks for it say to each other: one
 * JSON object a line over a loopback socket. The application speaks first ({@link
 * io.symshuffle.benchmarks.protocol.Reply.Ready}); then each {@link
 * io.symshuffle.benchmarks.protocol.Request} gets any number of progress replies and one final one.
 */
package io.symshuffle.benchmarks.protocol;
