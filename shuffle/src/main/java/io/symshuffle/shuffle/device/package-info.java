// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * This executor's GPU memory: its window of the device heap, and the windows of the other PEs of
 * its epoch.
 */
package io.symshuffle.shuffle.device;
