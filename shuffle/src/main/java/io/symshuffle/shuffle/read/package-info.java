// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The reduce side. A {@link io.symshuffle.shuffle.read.ReadPlan} splits map outputs into those that
 * are read in place and those that are fetched through Spark's block transfer. For records, a
 * {@link io.symshuffle.shuffle.read.BlockCursor} iterates over verified blocks of both, and {@link
 * io.symshuffle.shuffle.read.RowIterator} and {@link io.symshuffle.shuffle.read.RecordInputStream}
 * convert them to Spark's records.
 */
package io.symshuffle.shuffle.read;
