// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The protocol between a command and a Spark application that runs benchmarks for it: a JSON object
 * per line. The application writes the first line ({@link
 * io.symshuffle.benchmarks.protocol.Reply.Ready}); then each {@link
 * io.symshuffle.benchmarks.protocol.Request} gets any number of progress replies and one final
 * reply.
 */
package io.symshuffle.benchmarks.protocol;
