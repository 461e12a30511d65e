// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Rows and plans of queries, and their comparison with Spark's sort shuffle. */
package io.symshuffle.it.result;
