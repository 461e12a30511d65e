// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;

/** All checks, in the order in which one would look. */
final class Checks {
  private static final List<Check> ALL =
      List.of(
          new JavaCheck(),
          new PlatformCheck(),
          new SparkCheck(),
          new FlagsCheck(),
          new SettingsCheck(),
          new ClashCheck(),
          new SharedMemoryCheck(),
          new DiskCheck(),
          new MemoryCheck(),
          new HostNameCheck(),
          new LimitsCheck(),
          new NamespaceCheck(),
          new HostHeapCheck(),
          new DriverCheck(),
          new GpuCheck(),
          new GpuMemoryCheck(),
          new PeerCheck(),
          new NvshmemCheck(),
          new SocketFolderCheck(),
          new BootstrapInterfaceCheck(),
          new InfiniBandCheck(),
          new DeviceHeapCheck(),
          new RapidsCheck());

  private Checks() {}

  static List<Check> all() {
    return ALL;
  }
}
