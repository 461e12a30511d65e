// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The map side: records are staged, each full staging buffer is scattered by partition into a run.
 *
 * <p>{@link io.symshuffle.shuffle.write.RunBuilder} stages and scatters, {@link
 * io.symshuffle.shuffle.write.MapOutputWriter} places the runs, and the two shuffle writers feed it
 * with Spark's records.
 */
package io.symshuffle.shuffle.write;
