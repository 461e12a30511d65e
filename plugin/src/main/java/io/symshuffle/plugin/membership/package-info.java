// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Who takes part in an application, and how the driver and its executors talk.
 *
 * <p>An executor joins when it starts, before it gets any task ({@link
 * io.symshuffle.plugin.membership.ExecutorMembership}). The driver ({@link
 * io.symshuffle.plugin.membership.DriverRpcHandler}) answers with the application's token, the
 * executor's PE number, how many PEs share its host's memory, and who has joined so far. The driver
 * also leads the start of device heaps, which executors report to it. The driver pushes later
 * changes; an executor asks for those it missed when it meets an executor that it does not know.
 * PEs may join and disappear at any time: nothing here waits for a number of them.
 *
 * <p>The messages are the records of {@link io.symshuffle.plugin.membership.Message}. Only JDK
 * types travel ({@link io.symshuffle.plugin.membership.MessageSerializer}): where the application's
 * class loader loads our jar, Spark's transport cannot see our classes, and an executor that
 * receives one loses its connection to the driver. On the driver, {@link
 * io.symshuffle.plugin.membership.MembershipListener}s follow what happens.
 */
package io.symshuffle.plugin.membership;
