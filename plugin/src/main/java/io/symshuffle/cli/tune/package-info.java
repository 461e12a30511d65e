// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The command {@code tune}: settings for a machine, each with its reason, and what an application
 * that has run could gain, from its event log.
 */
package io.symshuffle.cli.tune;
