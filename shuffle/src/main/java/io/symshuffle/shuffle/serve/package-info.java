// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/** Blocks for executors on other hosts: frames over Spark's block transfer. */
package io.symshuffle.shuffle.serve;
