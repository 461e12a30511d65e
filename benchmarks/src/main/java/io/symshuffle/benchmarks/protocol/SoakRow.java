// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

/**
 * A row of a soak execution.
 *
 * @param key its key
 * @param length the length that its query computed, in hexadecimal; null if the string is null
 * @param bytes the bytes of its string, in hexadecimal; null if the string is null
 * @param expected the bytes that the string should have, in hexadecimal
 */
public record SoakRow(long key, String length, String bytes, String expected) {}
