// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders of Python packages on this machine, where NVIDIA's wheels install their libraries:
 * those of the active environment, of every python3 on the path, of the user and of the system.
 * Finding them does not start Python.
 *
 * @param environment environment variables: {@code System.getenv()}
 * @param root the root of the file system, for tests
 */
public record PythonPackages(Map<String, String> environment, Path root) {
  private static final Logger LOG = LoggerFactory.getLogger(PythonPackages.class);

  public PythonPackages {
    environment = Map.copyOf(environment);
  }

  /**
   * Finds a file in packages.
   *
   * @param path its path in a folder of packages, for example {@code nvidia/nccl/lib/libnccl.so.2}
   * @return its locations, best first; each file once, although lib64 of a virtual environment is a
   *     link to its lib
   */
  public List<Path> find(String path) {
    Map<Path, Path> byRealPath = new LinkedHashMap<>();
    for (Path prefix : prefixes()) {
      for (Path folder : folders(prefix)) {
        Path file = folder.resolve(path);
        if (Files.isRegularFile(file)) {
          byRealPath.putIfAbsent(realPath(file), file);
        }
      }
    }
    return List.copyOf(byRealPath.values());
  }

  private static Path realPath(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException e) {
      return file;
    }
  }

  /** Prefixes of Python installations: packages are in their lib/python3.12/site-packages. */
  private Set<Path> prefixes() {
    Set<Path> prefixes = new LinkedHashSet<>();
    variable("VIRTUAL_ENV").map(Path::of).ifPresent(prefixes::add);
    variable("CONDA_PREFIX").map(Path::of).ifPresent(prefixes::add);
    for (String folder : variable("PATH").orElse("").split(File.pathSeparator, -1)) {
      Path python = Path.of(folder).resolve("python3");
      if (!folder.isBlank() && Files.isExecutable(python)) {
        Optional.ofNullable(Path.of(folder).getParent()).ifPresent(prefixes::add);
        realPrefix(python).ifPresent(prefixes::add);
      }
    }
    variable("HOME").ifPresent(home -> prefixes.add(Path.of(home, ".local")));
    prefixes.add(root.resolve("usr/local"));
    prefixes.add(root.resolve("usr"));
    return prefixes;
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  private static Optional<Path> realPrefix(Path python) {
    try {
      return Optional.ofNullable(python.toRealPath().getParent()).map(Path::getParent);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static List<Path> folders(Path prefix) {
    List<Path> folders = new ArrayList<>();
    for (String lib : new String[] {"lib", "lib64"}) {
      Path folder = prefix.resolve(lib);
      if (!Files.isDirectory(folder)) {
        continue;
      }
      try (DirectoryStream<Path> versions = Files.newDirectoryStream(folder, "python3*")) {
        for (Path version : versions) {
          folders.add(version.resolve("site-packages"));
          folders.add(version.resolve("dist-packages"));
        }
      } catch (IOException e) {
        // Nothing can be loaded from a folder that cannot be listed.
        LOG.debug("{} cannot be listed", folder, e);
      }
    }
    return folders;
  }
}
