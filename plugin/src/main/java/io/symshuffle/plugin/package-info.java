// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** What runs inside Spark: life cycle, membership, cleanup, settings, metrics and the UI. */
package io.symshuffle.plugin;
