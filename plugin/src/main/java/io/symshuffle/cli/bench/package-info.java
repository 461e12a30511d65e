// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The command {@code bench} and what a benchmark is for it. */
package io.symshuffle.cli.bench;
