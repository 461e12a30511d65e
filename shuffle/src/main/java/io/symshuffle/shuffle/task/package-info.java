// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * What Spark's tasks bring along: the handle of their shuffle, and a way to run code at their end.
 */
package io.symshuffle.shuffle.task;
