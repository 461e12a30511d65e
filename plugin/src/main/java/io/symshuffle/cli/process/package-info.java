// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Starting and watching child processes. */
package io.symshuffle.cli.process;
