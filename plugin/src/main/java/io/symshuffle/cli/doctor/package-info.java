// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The command {@code doctor}: one class a check, each with the ailments that it knows. What a check
 * looks at comes from {@link io.symshuffle.cli.doctor.Host}, so that tests can show it any machine.
 * {@code docs/troubleshooting.md} is written from the ailments.
 */
package io.symshuffle.cli.doctor;
