// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Applications that tests submit. */
package io.symshuffle.it.program;
