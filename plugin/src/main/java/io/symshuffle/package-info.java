// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The class that users name in {@code spark.plugins}, and nothing else. */
package io.symshuffle;
