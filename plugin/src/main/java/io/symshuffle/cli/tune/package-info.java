// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The command {@code tune}: recommended settings for a machine, each with its reason, and an
 * estimate from its event log of how much an application would gain.
 */
package io.symshuffle.cli.tune;
