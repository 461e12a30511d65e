// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The command {@code ring}: the smallest proof that PEs reach each other. */
package io.symshuffle.cli.ring;
