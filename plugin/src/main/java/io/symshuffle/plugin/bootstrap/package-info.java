// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * How the executors of an application find each other's heaps.
 *
 * <p>An executor joins at the driver ({@link io.symshuffle.plugin.bootstrap.DriverEndpoint}) when
 * it starts, before any task reaches it, and learns the application's token, its own PE number, how
 * many PEs share its host's memory, and who is there already. Then it makes its heap and starts the
 * shuffle ({@link io.symshuffle.plugin.bootstrap.ExecutorMember}). Later changes are pushed to it;
 * a change that it missed it asks for when it meets an executor that it does not know. PEs come and
 * go at any time: nothing here waits for a number of them.
 *
 * <p>Messages are made of JDK types only ({@link io.symshuffle.plugin.bootstrap.Messages}): where
 * our jar is loaded by the application's class loader, Spark's transport cannot see our classes,
 * and an executor that receives one loses its connection to the driver.
 */
package io.symshuffle.plugin.bootstrap;
