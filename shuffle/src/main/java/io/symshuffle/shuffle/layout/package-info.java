// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Byte layouts of what PEs read from each other, one class each, as pure numbers: no I/O, no Spark.
 *
 * <p>All numbers are little-endian, the byte order of every machine that we run on; a heap of a
 * machine with another byte order fails the check of its magic number.
 */
package io.symshuffle.shuffle.layout;
