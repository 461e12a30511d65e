// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The heap of a host: one file per PE, which all processes of the host map.
 *
 * <p>{@link HeapSizing} chooses its place and the length of a window. {@link HostHeap} creates this
 * PE's window and maps the windows of other PEs; its {@link HostHeap#backing()} reserves memory
 * from the file system, and keeps to the limits of container and process.
 */
package io.symshuffle.heap.host;
