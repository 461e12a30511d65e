// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import java.util.function.Predicate;

/** Selects the map outputs of ended shuffles, which are erased from directories of dead PEs. */
@FunctionalInterface
public interface EndedOutputs extends Predicate<MapOutputId> {}
