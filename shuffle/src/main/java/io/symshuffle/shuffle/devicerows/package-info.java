// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * {@code spark.symshuffle.rows.tier=device}: records of CPU operators in the device heap.
 *
 * <p>The shuffle manager uses two classes of this package: {@link
 * io.symshuffle.shuffle.devicerows.DeviceOutputWriter} writes the records of map tasks, and {@link
 * io.symshuffle.shuffle.devicerows.DeviceReads} reads them in place.
 */
package io.symshuffle.shuffle.devicerows;
