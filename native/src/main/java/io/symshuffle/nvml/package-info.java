// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * NVIDIA's management library (NVML): NVLinks and peer access of GPUs. Start with {@link
 * io.symshuffle.nvml.Nvml#system()}, which says whether it can be used.
 */
package io.symshuffle.nvml;
