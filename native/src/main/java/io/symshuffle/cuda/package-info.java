// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The CUDA driver: devices, primary contexts, streams, events, modules, buffers.
 *
 * <p>The way in is {@link io.symshuffle.cuda.CudaDriver#system()}, a value that says whether CUDA
 * can be used here and if not, why. {@code CudaApi} binds the driver's functions and does nothing
 * else; {@code CudaDriver} alone turns codes into exceptions. Everything runs in the primary
 * context of a device, the one that the CUDA runtime, NVSHMEM and RAPIDS use; each call makes it
 * current on the calling thread and leaves it so.
 */
package io.symshuffle.cuda;
