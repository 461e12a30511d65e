// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * What this executor has in GPU memory: its window of the device heap, and the windows of the PEs
 * that started theirs together with it.
 */
package io.symshuffle.shuffle.device;
