// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;

/**
 * How the host's own name resolves.
 *
 * @param name the name, as the kernel has it
 * @param addresses what it resolves to; none if it does not
 * @param loopback whether all of them are loopback addresses
 * @param seconds how long that took
 */
record HostName(String name, List<String> addresses, boolean loopback, double seconds) {
  HostName {
    addresses = List.copyOf(addresses);
  }
}
