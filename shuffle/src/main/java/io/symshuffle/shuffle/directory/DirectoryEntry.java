// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

/**
 * A published entry of a PE's directory, as a reader found it.
 *
 * @param place where the index is
 * @param offset of the entry in the window, in bytes
 * @param state the entry's state word at that time; it never recurs after the entry has changed
 */
public record DirectoryEntry(IndexPlace place, long offset, long state) {}
