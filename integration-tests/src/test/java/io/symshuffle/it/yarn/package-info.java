// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Spark on YARN, in a cluster whose daemons run in one process of this machine. */
package io.symshuffle.it.yarn;
