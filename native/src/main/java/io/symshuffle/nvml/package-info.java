// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * NVIDIA's management library, as far as names, links and reach between GPUs are concerned; {@link
 * io.symshuffle.nvml.Nvml#system()} is a value that says whether it can be used.
 */
package io.symshuffle.nvml;
