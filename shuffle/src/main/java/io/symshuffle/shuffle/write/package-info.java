// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The map side. Records are staged, and each full staging buffer is sorted by partition into a run.
 *
 * <p>{@link io.symshuffle.shuffle.write.RunBuilder} stages and sorts records, {@link
 * io.symshuffle.shuffle.write.MapOutputWriter} stores the runs. The shuffle writers pass Spark's
 * records to them.
 *
 * <p>Rows of Spark SQL are not serialized: {@link io.symshuffle.shuffle.write.RowShuffleWriter}
 * copies the bytes of each {@code UnsafeRow}. {@link
 * io.symshuffle.shuffle.write.SerializedShuffleWriter} uses Spark's serializer for other records.
 */
package io.symshuffle.shuffle.write;
