// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Map outputs: the runs of one map task, their tiers and their index. Knows no Spark.
 *
 * <p>{@link io.symshuffle.shuffle.output.MapOutputStore} is the owner's side: it places runs,
 * publishes and frees. {@link io.symshuffle.shuffle.output.MapOutputs} finds those of all PEs of
 * the host.
 */
package io.symshuffle.shuffle.output;
