// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * How PEs of a host find each other's map outputs and keep them from being freed while they read:
 * the directory and the leases, both in the control region of each PE's window. Independent of
 * Spark.
 *
 * <p>Only the owner of a window writes its control region. {@link
 * io.symshuffle.shuffle.directory.Directory} and {@link io.symshuffle.shuffle.directory.LeaseTable}
 * are the owner's side; {@link io.symshuffle.shuffle.directory.ControlView} is the view of other
 * PEs. When the owner is dead, one living PE erases the entries of unregistered shuffles ({@link
 * io.symshuffle.shuffle.directory.OrphanDirectory}).
 */
package io.symshuffle.shuffle.directory;
