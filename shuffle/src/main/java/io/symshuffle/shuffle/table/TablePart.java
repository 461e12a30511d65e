// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;

/**
 * A packed table that is available on this GPU.
 *
 * @param metadata the engine's description of the columns, in native memory
 * @param data its bytes: in the engine's buffer that is passed with it, or in this PE's window of
 *     the device heap
 */
public record TablePart(MemorySegment metadata, DeviceRange data) {}
