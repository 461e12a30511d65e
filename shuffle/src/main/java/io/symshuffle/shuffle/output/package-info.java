// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Map outputs (runs of records, or packed tables), their tiers and their index. Independent of
 * Spark.
 *
 * <p>{@link io.symshuffle.shuffle.output.MapOutputStore} is the owner's side: it creates builders,
 * and publishes and frees map outputs. {@link io.symshuffle.shuffle.output.MapOutputs} finds the
 * map outputs of all PEs of the host.
 */
package io.symshuffle.shuffle.output;
