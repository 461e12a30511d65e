// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The kernels, ready to launch: {@link io.symshuffle.kernel.KernelImage} finds the fatbin in the
 * jar, {@link io.symshuffle.kernel.Kernels} loads it and prepares pulls, checksums and {@link
 * io.symshuffle.kernel.RowPartition}, which sorts records into a run. {@link
 * io.symshuffle.kernel.KernelModule} and {@link io.symshuffle.kernel.KernelLaunch} load and launch
 * other fatbins as well. Comments in {@code native/src/main/cuda} explain what each kernel does.
 */
package io.symshuffle.kernel;
