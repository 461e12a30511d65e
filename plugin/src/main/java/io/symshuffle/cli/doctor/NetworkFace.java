// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

/**
 * A network interface that is up.
 *
 * @param name for example {@code eth0}
 * @param loopback whether it is lo
 * @param ip4 whether it has an IPv4 address
 * @param ip6 whether it has an IPv6 address
 */
record NetworkFace(String name, boolean loopback, boolean ip4, boolean ip6) {}
