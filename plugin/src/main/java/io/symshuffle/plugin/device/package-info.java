// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * How executors get their GPUs and start their device heaps. {@link
 * io.symshuffle.plugin.device.DeviceBackend} chooses whose memory they are. Those of NVSHMEM start
 * together: {@link io.symshuffle.plugin.device.DeviceEpochs} decides on the driver and never waits.
 * On an executor, {@link io.symshuffle.plugin.device.PreparedDevice} does what it can do alone, and
 * {@code io.symshuffle.plugin.membership.DeviceStart} follows the driver, with limits on all waits.
 * Those of CUDA memory are opened alone ({@code io.symshuffle.plugin.membership.CudaStart}). They
 * exchange {@link io.symshuffle.plugin.device.DeviceStep}s and {@link
 * io.symshuffle.plugin.device.DeviceInstruction}. If anything fails, the executor uses the host
 * heap.
 */
package io.symshuffle.plugin.device;
