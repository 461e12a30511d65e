// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * {@code spark.symshuffle.rows.tier=device}: records of CPU operators in the device heap.
 *
 * <p>The rest of the shuffle reaches this package in two places: {@link
 * io.symshuffle.shuffle.devicerows.DeviceOutputWriter} is the place where map tasks write their
 * records, and {@link io.symshuffle.shuffle.devicerows.DeviceReads} reads them in place.
 */
package io.symshuffle.shuffle.devicerows;
