// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The command line: {@link io.symshuffle.cli.Main} offers every {@link
 * io.symshuffle.cli.CliCommand} that it finds on the class path. Our jar alone has those that need
 * neither Spark nor the source tree; {@code bin/symshuffle} in the tree adds its own.
 */
package io.symshuffle.cli;
