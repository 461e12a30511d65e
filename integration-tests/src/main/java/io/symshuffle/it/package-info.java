// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The harness for tests of the packaged jar: Spark with several processes, GPUs and faults. */
package io.symshuffle.it;
