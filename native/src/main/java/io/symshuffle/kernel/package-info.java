// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Our CUDA kernels: {@link io.symshuffle.kernel.KernelImage} finds the fatbin in the jar, {@link
 * io.symshuffle.kernel.Kernels} loads it into a context and checks that both sides mean the same
 * structs, and its methods prepare launches, one a kernel. {@link io.symshuffle.kernel.PeerCopy}
 * chooses between kernels and copy engines; {@link io.symshuffle.kernel.DevicePull} also reaches
 * PEs that are not mapped, linked with the user's NVSHMEM; {@link
 * io.symshuffle.kernel.RowPartition} sorts records into a run. What a kernel does is told beside
 * its source in {@code native/src/main/cuda}.
 */
package io.symshuffle.kernel;
