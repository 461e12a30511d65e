// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Tasks and their shuffle metrics, recorded from Spark's listener bus. */
package io.symshuffle.it.record;
