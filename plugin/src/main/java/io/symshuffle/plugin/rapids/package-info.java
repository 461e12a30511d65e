// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/** The driver's decision whether the RAPIDS Accelerator's tables stay on the GPUs. */
package io.symshuffle.plugin.rapids;
