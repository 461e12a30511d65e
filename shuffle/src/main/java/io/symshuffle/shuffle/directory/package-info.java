// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * How PEs of a host find each other's map outputs, and keep them while they read: the directory and
 * the leases, both in the control region of every PE's window. Knows no Spark.
 *
 * <p>Only the owner of a window writes its control region. {@link
 * io.symshuffle.shuffle.directory.Directory} and {@link io.symshuffle.shuffle.directory.LeaseTable}
 * are the owner's side, {@link io.symshuffle.shuffle.directory.ControlView} is what others see.
 * When the owner is dead, one living PE erases entries of ended shuffles ({@link
 * io.symshuffle.shuffle.directory.OrphanDirectory}).
 */
package io.symshuffle.shuffle.directory;
