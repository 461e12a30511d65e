// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Launches of the kernels: {@link io.symshuffle.kernel.KernelImage} finds the fatbin in the jar,
 * {@link io.symshuffle.kernel.Kernels} loads it and prepares their launches: pulls, checksums,
 * packing and unpacking, and checks of serialized tables. The CUDA sources in {@code
 * native/src/main/cuda} document each kernel.
 */
package io.symshuffle.kernel;
