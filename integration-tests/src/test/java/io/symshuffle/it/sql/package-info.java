// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Queries, plans and streams on host heaps, compared with the same on Spark's sort shuffle. */
package io.symshuffle.it.sql;
