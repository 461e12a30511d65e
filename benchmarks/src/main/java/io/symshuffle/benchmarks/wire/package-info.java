// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** {@code bench wire}: bytes and speed of the encodings of rows that are sent to other hosts. */
package io.symshuffle.benchmarks.wire;
