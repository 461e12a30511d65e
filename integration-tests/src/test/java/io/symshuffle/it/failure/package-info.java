// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** What happens when executors, disks and map outputs are lost, and what tests of it share. */
package io.symshuffle.it.failure;
