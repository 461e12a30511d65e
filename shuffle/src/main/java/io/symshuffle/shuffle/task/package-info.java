// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/** The handles of shuffles, and actions that run when a task ends. */
package io.symshuffle.shuffle.task;
