// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * What is kept when an executor or an application ends, and who removes it, so that no memory
 * outlives its application, and no map output that is lost stays in Spark's table:
 *
 * <ul>
 *   <li>{@link io.symshuffle.plugin.retention.DriverFolders}: the driver removes the folders on its
 *       own machine when the application ends. On any other host the last executor does, when it
 *       stops and the driver has announced the end or is gone (see {@code
 *       io.symshuffle.plugin.lifecycle.RunningExecutor}). An executor that stops while the
 *       application continues leaves its files, because others may be reading them.
 *   <li>{@link io.symshuffle.plugin.retention.StartupSweep}: the next application on a host removes
 *       what is left when all processes were killed.
 *   <li>{@link io.symshuffle.plugin.retention.LostExecutorOutputs}: the map outputs of lost
 *       executors. {@link io.symshuffle.plugin.retention.SymShuffleDataIO} makes Spark keep them,
 *       {@link io.symshuffle.plugin.retention.TrackedOutputs} removes those that nobody can read.
 * </ul>
 */
package io.symshuffle.plugin.retention;
