// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The commands of {@code bin/symshuffle}, and what the pages tell users to type. */
package io.symshuffle.it.command;
