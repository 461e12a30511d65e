// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * The settings: a table ({@link io.symshuffle.plugin.config.Settings}), the records that are read
 * from it, and the driver's checks before the start.
 *
 * <p>{@code docs/configuration.md} is generated from the table; a test compares the two.
 */
package io.symshuffle.plugin.config;
