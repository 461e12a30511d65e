// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The settings: one declarative table ({@link io.symshuffle.plugin.config.Settings}), the record
 * that is filled from it, and the checks that the driver makes before anything starts.
 *
 * <p>{@code docs/configuration.md} is written from the table; a test compares the two.
 */
package io.symshuffle.plugin.config;
