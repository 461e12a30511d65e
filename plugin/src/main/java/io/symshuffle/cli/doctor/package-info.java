// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The command {@code doctor}: checks by area, each with the problems that it knows. Checks look at
 * a {@link io.symshuffle.cli.doctor.Host}, so that tests can show them any machine. A test
 * generates {@code docs/troubleshooting.md} from the known problems.
 */
package io.symshuffle.cli.doctor;
