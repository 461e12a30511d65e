// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Device heaps of NVSHMEM, which all executors of a machine start together. {@link
 * io.symshuffle.plugin.device.nvshmem.NvshmemEpochs} decides on the driver and never waits. On an
 * executor, {@link io.symshuffle.plugin.device.nvshmem.NvshmemPreparation} does what it can do
 * alone, and {@link io.symshuffle.plugin.device.nvshmem.NvshmemStart} follows the driver, with
 * limits on all waits.
 */
package io.symshuffle.plugin.device.nvshmem;
