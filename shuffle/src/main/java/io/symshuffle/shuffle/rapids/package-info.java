// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The RAPIDS Accelerator as the columnar engine of table shuffles. It is reached by method handles
 * that are looked up and checked once at the start: the jar is the user's, its classes lie behind a
 * class loader of its own, and another version's members are a sentence instead of a linkage error.
 */
package io.symshuffle.shuffle.rapids;
