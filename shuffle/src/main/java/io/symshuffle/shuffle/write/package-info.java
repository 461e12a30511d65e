// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The map side. Records are staged, and each full staging buffer is sorted by partition into a run;
 * packed tables are gathered and stored batch by batch.
 *
 * <p>{@link io.symshuffle.shuffle.write.RunBuilder} stages and sorts records, {@link
 * io.symshuffle.shuffle.write.MapOutputWriter} stores the runs, and {@link
 * io.symshuffle.shuffle.write.TableWriter} stores packed tables. The shuffle writers pass Spark's
 * records to them.
 */
package io.symshuffle.shuffle.write;
