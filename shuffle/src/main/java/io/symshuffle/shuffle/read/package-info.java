// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The reduce side. A {@link io.symshuffle.shuffle.read.ReadPlan} splits map outputs into those that
 * are read in place and those that come through Spark's block transfer; a {@link
 * io.symshuffle.shuffle.read.BlockCursor} walks over verified blocks of either; {@link
 * io.symshuffle.shuffle.read.RowIterator} and {@link io.symshuffle.shuffle.read.RecordInputStream}
 * turn them into Spark's records.
 */
package io.symshuffle.shuffle.read;
