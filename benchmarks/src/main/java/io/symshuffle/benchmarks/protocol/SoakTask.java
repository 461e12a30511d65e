// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

/**
 * What one task of a soak execution computed from its rows, or should have computed.
 *
 * @param task number of the task, which is also that of its partition
 * @param rows number of groups
 * @param keys sum of the keys
 * @param values sum of the values
 * @param lengths sum of the lengths of the strings
 * @param minLength shortest length
 * @param maxLength longest length
 * @param nulls strings that are null
 * @param wrongLengths strings with another length than their key demands
 * @param wrongStrings strings that differ from the one that their key demands
 * @param firstWrong smallest key with a wrong string or length; null if there is none
 * @param lastWrong largest such key; null if there is none
 * @param leastWrong smallest wrong string, its bytes in hexadecimal; null if there is none
 * @param greatestWrong largest wrong string, its bytes in hexadecimal; null if there is none
 */
public record SoakTask(
    int task,
    long rows,
    long keys,
    double values,
    long lengths,
    Integer minLength,
    Integer maxLength,
    long nulls,
    long wrongLengths,
    long wrongStrings,
    Long firstWrong,
    Long lastWrong,
    String leastWrong,
    String greatestWrong) {}
