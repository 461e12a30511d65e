// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The reduce side. A {@link io.symshuffle.shuffle.read.ReadPlan} says which map outputs are read in
 * place and which come through Spark's block transfer; a {@link
 * io.symshuffle.shuffle.read.BlockCursor} walks over verified blocks of either; {@link
 * io.symshuffle.shuffle.read.RowIterator} and {@link io.symshuffle.shuffle.read.RecordInputStream}
 * make Spark's records of them.
 */
package io.symshuffle.shuffle.read;
