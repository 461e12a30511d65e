// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** What Spark's listener bus says of tasks and their shuffles. */
package io.symshuffle.it.record;
