// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Byte layouts of the data that PEs read from each other, one class per layout. The classes only
 * define constants and offsets: no I/O, no Spark.
 *
 * <p>All numbers are little-endian, the byte order of all supported machines; a heap with another
 * byte order fails the check of its magic number.
 */
package io.symshuffle.shuffle.layout;
