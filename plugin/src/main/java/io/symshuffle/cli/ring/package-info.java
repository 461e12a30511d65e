// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The command {@code ring}: a minimal test that PEs reach each other's heaps. */
package io.symshuffle.cli.ring;
