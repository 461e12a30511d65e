// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Tests of symmetric memory in barrier stages. */
package io.symshuffle.it.barrier;
