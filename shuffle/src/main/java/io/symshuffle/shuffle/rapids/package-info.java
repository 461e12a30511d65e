// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The RAPIDS Accelerator as the columnar engine of table shuffles. It is called through method
 * handles that are looked up and checked once at the start: the user provides the jar, RAPIDS loads
 * its classes with its own class loader, and an incompatible version results in a clear message
 * instead of a linkage error.
 */
package io.symshuffle.shuffle.rapids;
