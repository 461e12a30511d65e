// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The CUDA driver: devices, primary contexts, streams, events, modules, buffers.
 *
 * <p>Start with {@link io.symshuffle.cuda.CudaDriver#system()}, which says whether CUDA can be used
 * here and, if not, why. {@code CudaApi} binds the driver's functions and does nothing else; {@code
 * CudaDriver} alone turns codes into exceptions. Everything runs in the primary context of a
 * device, which the CUDA runtime, NVSHMEM and RAPIDS also use; each call makes it current on the
 * calling thread and leaves it current.
 */
package io.symshuffle.cuda;
