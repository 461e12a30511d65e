// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Starts child processes and ends them, for the commands and for the tests of all modules. */
package io.symshuffle.process;
