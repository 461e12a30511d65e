// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Map outputs: rows in runs or packed tables, their tiers and their index. Independent of Spark.
 *
 * <p>{@link io.symshuffle.shuffle.output.MapOutputStore} is the owner's side: it starts builders,
 * publishes and frees. {@link io.symshuffle.shuffle.output.MapOutputs} finds those of all PEs of
 * the host.
 */
package io.symshuffle.shuffle.output;
