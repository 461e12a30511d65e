// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/** Decides on the driver whether the RAPIDS Accelerator's tables stay on the GPUs. */
package io.symshuffle.plugin.rapids;
