// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The network interface over which NVSHMEM's PEs find each other. */
final class BootstrapInterfaceCheck implements Check {
  private static final String NAMES = "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME";
  private static final String FAMILY = "NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY";

  static final Ailment NO_INTERFACE =
      new Ailment(
          "no-socket-interface",
          "No socket interface found, or PEs wait for each other at the start",
          "no interface that is up matches NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME, or it has no address"
              + " of the family that is asked for",
          "export NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME==eth0 (the second = asks for this very name)"
              + " with an interface of the list, or unset it; on hosts with IPv6 alone also"
              + " NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY=AF_INET6");

  @Override
  public String title() {
    return "socket interface";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(NO_INTERFACE);
  }

  @Override
  public List<Finding> examine(Host host) {
    List<NetworkFace> faces = host.instruments().networkFaces();
    String all = faces.stream().map(NetworkFace::name).collect(Collectors.joining(", "));
    Optional<String> asked = variable(host, NAMES);
    boolean six = variable(host, FAMILY).filter("AF_INET6"::equals).isPresent();
    List<NetworkFace> usable =
        faces.stream()
            .filter(face -> six ? face.ip6() : face.ip4())
            .filter(face -> asked.isEmpty() || matches(asked.get(), face.name()))
            .toList();
    if (usable.isEmpty()) {
      String found =
          "%sthere %s"
              .formatted(
                  asked.map(names -> NAMES + " is " + names + ", ").orElse(""),
                  faces.isEmpty() ? "is no interface" : "are " + all);
      boolean gpus = !host.instruments().gpus().gpus().isEmpty();
      return List.of(gpus ? Finding.fail(NO_INTERFACE, found) : Finding.warn(NO_INTERFACE, found));
    }
    return List.of(
        Finding.ok(
            usable.stream().map(NetworkFace::name).collect(Collectors.joining(", "))
                + (six ? " with IPv6" : " with IPv4")));
  }

  private static Optional<String> variable(Host host, String name) {
    return Optional.of(host.setting("spark.executorEnv." + name, ""))
        .filter(value -> !value.isEmpty())
        .or(() -> host.variable(name));
  }

  /** As the library reads it: prefixes between commas, ^ excludes, = asks for whole names. */
  static boolean matches(String list, String name) {
    boolean exclude = list.startsWith("^");
    String rest = exclude ? list.substring(1) : list;
    boolean exact = rest.startsWith("=");
    List<String> names = List.of((exact ? rest.substring(1) : rest).split(",", -1));
    boolean listed =
        names.stream().anyMatch(each -> exact ? name.equals(each) : name.startsWith(each));
    return exclude != listed;
  }
}
