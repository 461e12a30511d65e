// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;

/** The host's own name, by which driver and executors find each other. */
final class HostNameCheck implements Check {
  private static final double SLOW_SECONDS = 2;

  static final Ailment UNRESOLVED =
      new Ailment(
          "host-name-unresolved",
          "Spark does not start: UnknownHostException, or NVSHMEM's PEs wait for each other",
          "the host's own name has no address",
          "add it to /etc/hosts, or export SPARK_LOCAL_IP=<address> and SPARK_LOCAL_HOSTNAME");
  static final Ailment LOOPBACK =
      new Ailment(
          "host-name-is-loopback",
          "Executors on other hosts cannot reach the driver, or blocks of other hosts fail",
          "the host's own name resolves to a loopback address",
          "export SPARK_LOCAL_IP=<address of the network between the hosts>, or mend /etc/hosts."
              + " On one machine alone nothing needs to be done");
  static final Ailment SLOW =
      new Ailment(
          "host-name-slow",
          "Every executor takes seconds longer to start",
          "looking up the host's own name is slow",
          "add the name to /etc/hosts");

  @Override
  public String title() {
    return "host name";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(UNRESOLVED, LOOPBACK, SLOW);
  }

  @Override
  public List<Finding> examine(Host host) {
    HostName name = host.instruments().hostName();
    if (name.addresses().isEmpty()) {
      return List.of(Finding.fail(UNRESOLVED, name.name() + " has no address"));
    }
    String found = name.name() + " is " + String.join(", ", name.addresses());
    if (name.seconds() > SLOW_SECONDS) {
      return List.of(
          Finding.warn(SLOW, "%s, looked up in %.1f s".formatted(found, name.seconds())));
    }
    if (name.loopback() && host.variable("SPARK_LOCAL_IP").isEmpty()) {
      return List.of(Finding.warn(LOOPBACK, found));
    }
    return List.of(Finding.ok(found));
  }
}
