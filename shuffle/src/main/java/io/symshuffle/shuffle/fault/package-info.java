// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Faults on purpose, for tests: an internal setting names where and how often, a seed makes them
 * come back. Without that setting there is no {@link io.symshuffle.shuffle.fault.Faults} at all,
 * and the paths that could have one look for it once a run, block or task, never for a record.
 */
package io.symshuffle.shuffle.fault;
