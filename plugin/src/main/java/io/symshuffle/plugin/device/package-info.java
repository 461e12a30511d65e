// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * An executor's GPU and its device heap. {@link io.symshuffle.plugin.device.DeviceBackend} chooses
 * whose memory it is. A heap of CUDA memory is opened by each executor alone ({@link
 * io.symshuffle.plugin.device.CudaStart}), those of NVSHMEM by all executors of a machine together
 * ({@code io.symshuffle.plugin.device.nvshmem}). Executors report {@link
 * io.symshuffle.plugin.device.DeviceStep}s to the driver's {@link
 * io.symshuffle.plugin.device.DeviceCoordinator}, and do what its {@link
 * io.symshuffle.plugin.device.DeviceInstruction} says. If anything fails, the executor uses the
 * host heap.
 */
package io.symshuffle.plugin.device;
