// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** {@code docs}: builds the documentation as a static site and checks its links. */
package io.symshuffle.benchmarks.site;
