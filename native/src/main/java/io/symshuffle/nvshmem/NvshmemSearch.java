// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.ffi.PythonPackages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Searches for NVSHMEM's host library. A configured path is the only candidate. Otherwise the
 * search order is {@code $NVSHMEM_HOME}; the wheel nvidia-nvshmem-cu12 or -cu13 of a Python on the
 * path; the packages libnvshmem3-cuda-13 and -12; and the dynamic loader's search path. The file
 * name is libnvshmem_host.so.3, since wheels have no unversioned link.
 *
 * @param configured the library or its folder, as the user has set it
 * @param environment environment variables: {@code System.getenv()}
 * @param root the root of the file system, for tests
 */
public record NvshmemSearch(Optional<Path> configured, Map<String, String> environment, Path root) {

  static final String FILE = "libnvshmem_host.so.3";
  private static final String IN_PACKAGES = "nvidia/nvshmem/lib";

  public NvshmemSearch {
    environment = Map.copyOf(environment);
  }

  /**
   * Returns a search with this process's environment.
   *
   * @param configured the library or its folder, as the user has set it; empty to search
   */
  public static NvshmemSearch here(Optional<Path> configured) {
    return new NvshmemSearch(configured, System.getenv(), Path.of("/"));
  }

  /** Returns the paths and names to load, best first. */
  public List<String> candidates() {
    if (configured.isPresent()) {
      Path place = configured.get();
      return List.of((Files.isDirectory(place) ? place.resolve(FILE) : place).toString());
    }
    List<Path> places = new ArrayList<>();
    String home = environment.getOrDefault("NVSHMEM_HOME", "");
    if (!home.isBlank()) {
      places.add(Path.of(home, "lib", FILE));
    }
    places.addAll(new PythonPackages(environment, root).find(IN_PACKAGES + "/" + FILE));
    for (int cuda : new int[] {13, 12}) {
      places.add(root.resolve("usr/lib/x86_64-linux-gnu/nvshmem/" + cuda).resolve(FILE));
    }
    List<String> found =
        new ArrayList<>(places.stream().filter(Files::isRegularFile).map(Path::toString).toList());
    found.add(FILE);
    return found;
  }
}
