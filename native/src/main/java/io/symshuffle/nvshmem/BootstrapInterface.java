// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.ffi.ProcessEnvironment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A network interface over which PEs find each other. The choice is checked before NVSHMEM starts,
 * which otherwise prints "No socket interface found" or waits forever.
 *
 * @param name for example {@code eth0}
 * @param ipv4 whether it has an IPv4 address
 * @param ipv6 whether it has an IPv6 address
 */
public record BootstrapInterface(String name, boolean ipv4, boolean ipv6) {
  private static final Logger LOG = LoggerFactory.getLogger(BootstrapInterface.class);

  /**
   * A list of name prefixes; a leading ^ excludes them, a leading or following = means whole names.
   */
  public static final String NAMES = "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME";

  /** AF_INET or AF_INET6; unset for both. */
  public static final String FAMILY = "NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY";

  /** Returns the problem with the current environment of this process. */
  static Optional<String> problem() {
    Optional<String> names = ProcessEnvironment.get(NAMES).filter(value -> !value.isBlank());
    if (names.isEmpty()) {
      return Optional.empty();
    }
    try {
      return problem(names.get(), ProcessEnvironment.get(FAMILY), here(false));
    } catch (SocketException e) {
      LOG.debug("Cannot list the network interfaces", e);
      return Optional.empty();
    }
  }

  /**
   * Returns the problem with a choice.
   *
   * @param names value of {@link #NAMES}
   * @param family value of {@link #FAMILY}
   * @return a sentence with its remedy; empty when an interface matches
   */
  static Optional<String> problem(
      String names, Optional<String> family, List<BootstrapInterface> all) {
    List<BootstrapInterface> named = all.stream().filter(face -> face.isIn(names)).toList();
    String available = String.join(", ", all.stream().map(BootstrapInterface::name).toList());
    if (named.isEmpty()) {
      return Optional.of(
          ("no network interface of this host matches %s=%s (available: %s): name one over which"
                  + " the other PEs can reach this one, or unset the variable")
              .formatted(NAMES, names, available));
    }
    if (named.stream().noneMatch(face -> face.has(family))) {
      return Optional.of(
          ("the network interface %s has no address of the family %s=%s: set %s to another one"
                  + " (available: %s), or change the family")
              .formatted(named.getFirst().name, FAMILY, family.orElse(""), NAMES, available));
    }
    return Optional.empty();
  }

  /** Returns whether it is one of the interfaces that a value of {@link #NAMES} allows. */
  public boolean isIn(String names) {
    boolean excluding = names.startsWith("^");
    String rest = excluding ? names.substring(1) : names;
    boolean whole = rest.startsWith("=");
    boolean named =
        Stream.of((whole ? rest.substring(1) : rest).split(",", -1))
            .map(entry -> entry.replaceFirst(":.*", ""))
            .anyMatch(entry -> whole ? name.equals(entry) : name.startsWith(entry));
    return named != excluding;
  }

  private boolean has(Optional<String> family) {
    return switch (family.orElse("")) {
      case "AF_INET" -> ipv4;
      case "AF_INET6" -> ipv6;
      default -> ipv4 || ipv6;
    };
  }

  /**
   * Returns the interfaces of this host.
   *
   * @param onlyUp whether to leave out those that are down
   * @throws SocketException if they cannot be listed
   */
  public static List<BootstrapInterface> here(boolean onlyUp) throws SocketException {
    List<BootstrapInterface> all = new ArrayList<>();
    for (NetworkInterface face : NetworkInterface.networkInterfaces().toList()) {
      if (onlyUp && !face.isUp()) {
        continue;
      }
      List<InetAddress> addresses = face.inetAddresses().toList();
      all.add(
          new BootstrapInterface(
              face.getName(),
              addresses.stream().anyMatch(Inet4Address.class::isInstance),
              addresses.stream().anyMatch(Inet6Address.class::isInstance)));
    }
    return all;
  }
}
