// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Runs one process per PE for a command: starting the processes, and their part of the job. */
package io.symshuffle.cli.pe;
