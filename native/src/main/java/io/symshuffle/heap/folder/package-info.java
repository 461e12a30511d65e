// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The private folder of an application on a host, and the files in it.
 *
 * <p>{@link HeapFolder} creates or opens the folder, {@link HeapFile} a file of one PE in it, whose
 * lock tells whether that PE is alive. Folders of processes that are gone are swept at the next
 * start on the host.
 */
package io.symshuffle.heap.folder;
