// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The documentation as a static site, and the check of its links. */
package io.symshuffle.benchmarks.site;
