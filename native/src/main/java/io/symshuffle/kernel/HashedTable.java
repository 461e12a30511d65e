// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

/**
 * A table whose rows {@link Kernels#rowHashes} hashes. The hash of a row is that of Spark's
 * function {@code xxhash64} with this seed over all columns.
 *
 * @param seed the hash of a row without columns, or with only nulls
 */
public record HashedTable(long seed, TableColumns table) {}
