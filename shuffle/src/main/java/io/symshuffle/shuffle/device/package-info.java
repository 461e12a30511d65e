// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** This executor's GPU memory: its window of the device heap, and the windows of other PEs. */
package io.symshuffle.shuffle.device;
