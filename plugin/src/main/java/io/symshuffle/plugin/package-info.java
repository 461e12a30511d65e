// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Puts things together: bootstrap and membership, config, metrics, UI and command line. */
package io.symshuffle.plugin;
