// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/** Serves blocks to executors on other hosts, as frames sent through Spark's block transfer. */
package io.symshuffle.shuffle.serve;
