// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;

/**
 * A table that is sent to another host.
 *
 * @param entry its entry in the index
 */
record SentTable(TableOutput output, TableEntry entry) {}
