// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

/** A map output whose owner's window is mapped in this process. */
public record LocalSource(MapSource map, int pe) {}
