// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Jobs of one process a PE, for commands: starting them, and what each of them opens. */
package io.symshuffle.cli.pe;
