// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * NVSHMEM's host library on this machine, which is usable or absent with a reason. Opening it never
 * throws and does not initialize NVSHMEM. It stays loaded for the life of the process. Thread-safe.
 */
public final class NvshmemLibrary {
  /** The bootstrap plugin for unique ids, which must be next to the library. */
  private static final String BOOTSTRAP_PLUGIN = "nvshmem_bootstrap_uid.so.3";

  private static final String HOW_TO_INSTALL =
      "install it (pip install nvidia-nvshmem-cu13, or the package libnvshmem3-cuda-13) or name its"
          + " folder in the configuration or in NVSHMEM_HOME";

  /** The oldest version that has all bound functions. */
  private static final Version OLDEST = Version.parse("3.3.0");

  /** The first version whose struct layouts are unknown. */
  private static final Version TOO_NEW = Version.parse("4.0.0");

  private final NvshmemApi api;
  private final String name;
  private final Optional<Path> folder;
  private final Optional<Version> version;
  private final Optional<String> absence;

  /** Ids that were used in this process; using one again would hang. */
  private final Set<UniqueId> used = ConcurrentHashMap.newKeySet();

  private NvshmemLibrary(NativeLibrary library) {
    NativeInterface<NvshmemApi> bound = NativeInterface.bind(library, NvshmemApi.class);
    this.api = bound.calls();
    this.name = library.name();
    this.folder = library.absence().isPresent() ? Optional.empty() : folderOf(library.name());
    this.version =
        bound.absence("nvshmemx_vendor_get_version_info").isPresent()
            ? Optional.empty()
            : Optional.of(readVersion(api));
    this.absence = absence(library, bound);
  }

  /** Finds the library and loads it. */
  public static NvshmemLibrary open(NvshmemSearch search) {
    return new NvshmemLibrary(NativeLibrary.open(search.candidates()));
  }

  /** Returns why it cannot be used, a sentence with its remedy; empty when it can. */
  public Optional<String> absence() {
    return absence;
  }

  /** Returns the name or path it was loaded by, or the ones that were tried. */
  public String name() {
    return name;
  }

  /** Returns the folder of the library and of the device library; empty when unknown. */
  public Optional<Path> folder() {
    return folder;
  }

  /** Returns its version; empty when it is absent. */
  public Optional<Version> version() {
    return version;
  }

  NvshmemApi api() {
    return api;
  }

  void requireUsable() {
    if (absence.isPresent()) {
      throw new NvshmemException("NVSHMEM cannot be used: " + absence.get());
    }
  }

  /** Marks an id as used. */
  void takeOnce(UniqueId id) {
    if (!used.add(id)) {
      throw new IllegalArgumentException(
          id + " was already used in this process: each start needs a new one");
    }
  }

  private Optional<String> absence(NativeLibrary library, NativeInterface<NvshmemApi> bound) {
    if (library.absence().isPresent()) {
      return Optional.of(
          "NVSHMEM's host library was not found (%s): %s"
              .formatted(library.absence().get(), HOW_TO_INSTALL));
    }
    if (version.isEmpty()) {
      return Optional.of(
          ("%s is not NVSHMEM's host library, or is older than 3.0: it has no function"
                  + " nvshmemx_vendor_get_version_info; %s")
              .formatted(name, HOW_TO_INSTALL));
    }
    if (version.get().compareTo(OLDEST) < 0 || version.get().compareTo(TOO_NEW) >= 0) {
      return Optional.of(
          "%s is NVSHMEM %s, but %s or newer of 3.x is required: %s"
              .formatted(name, version.get(), OLDEST, HOW_TO_INSTALL));
    }
    if (!bound.missing().isEmpty()) {
      return Optional.of(
          "%s, NVSHMEM %s, lacks %s: reinstall it"
              .formatted(name, version.get(), String.join(", ", bound.missing().keySet())));
    }
    if (folder.isPresent() && !Files.exists(folder.get().resolve(BOOTSTRAP_PLUGIN))) {
      return Optional.of(
          ("%s is missing next to %s: without it, PEs cannot find each other; install all of"
                  + " NVSHMEM, not just its host library")
              .formatted(BOOTSTRAP_PLUGIN, name));
    }
    return Optional.empty();
  }

  private static Version readVersion(NvshmemApi api) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocate(MemoryLayout.sequenceLayout(3, JAVA_INT));
      api.vendorVersion(numbers, numbers.asSlice(4), numbers.asSlice(8));
      return Version.parse(
          numbers.getAtIndex(JAVA_INT, 0)
              + "."
              + numbers.getAtIndex(JAVA_INT, 1)
              + "."
              + numbers.getAtIndex(JAVA_INT, 2));
    }
  }

  /** Returns the folder of a loaded library, from its name or the process's memory mappings. */
  private static Optional<Path> folderOf(String name) {
    Path path = Path.of(name);
    if (path.isAbsolute()) {
      return Optional.ofNullable(path.getParent());
    }
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines
          .filter(line -> line.endsWith("/" + name) || line.contains("/" + name + "."))
          .map(line -> Path.of(line.substring(line.indexOf('/'))).getParent())
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
