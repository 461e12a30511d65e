// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BootstrapInterfaceTest {
  private static final List<BootstrapInterface> HOST =
      List.of(
          new BootstrapInterface("lo", true, true),
          new BootstrapInterface("eth0", true, false),
          new BootstrapInterface("ib6", false, true));

  private static final Optional<String> IPV4 = Optional.of("AF_INET");

  @ParameterizedTest
  @ValueSource(strings = {"=eth0", "eth", "e,x", "=eth1,eth0", "^=lo,ib6", "^lo", "eth0:5000"})
  void matchingInterfaceNameIsAccepted(String names) {
    assertEquals(Optional.empty(), BootstrapInterface.problem(names, IPV4, HOST));
  }

  @ParameterizedTest
  @ValueSource(strings = {"=eth", "=eth7", "wlan", "^lo,eth,ib", "^=lo,eth0,ib6"})
  void unmatchedInterfaceNameIsReportedWithTheExistingOnes(String names) {
    assertEquals(
        Optional.of(
            "no network interface of this host matches NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME="
                + names
                + " (available: lo, eth0, ib6): name one over which the other PEs can reach this"
                + " one, or unset the variable"),
        BootstrapInterface.problem(names, IPV4, HOST));
  }

  @Test
  void interfaceWithoutAnAddressOfTheFamilyIsReported() {
    String problem = BootstrapInterface.problem("=ib6", IPV4, HOST).orElseThrow();
    assertTrue(
        problem.startsWith(
            "the network interface ib6 has no address of the family"
                + " NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY=AF_INET: set "),
        problem);
    assertEquals(
        Optional.empty(), BootstrapInterface.problem("=ib6", Optional.of("AF_INET6"), HOST));
    assertEquals(Optional.empty(), BootstrapInterface.problem("=ib6", Optional.empty(), HOST));
  }
}
