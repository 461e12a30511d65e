// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.ffi.NativeLibrary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.ZipFile;

/** What the UCX shuffle manager of RAPIDS needs on a machine. */
final class Ucx {
  private static final String LIBRARY = "libucp.so.0";
  private static final String CLASS = "org/openucx/jucx/ucp/UcpContext.class";

  private Ucx() {}

  /**
   * Returns why it cannot run, without a full stop; empty if it can.
   *
   * @param rapids the jar of RAPIDS, which may contain the Java classes of UCX
   */
  static Optional<String> absence(Path rapids) {
    Optional<String> library =
        NativeLibrary.open(List.of(LIBRARY))
            .absence()
            .map(reason -> "the dynamic loader does not find its library (" + reason + ")");
    return library.or(() -> classAbsence(rapids));
  }

  /** Returns why the jar does not have the classes. */
  static Optional<String> classAbsence(Path rapids) {
    try (ZipFile jar = new ZipFile(rapids.toFile())) {
      return jar.getEntry(CLASS) != null
          ? Optional.empty()
          : Optional.of("%s does not contain the classes of jucx".formatted(rapids));
    } catch (IOException e) {
      return Optional.of("%s is not a jar (%s)".formatted(rapids, e.getMessage()));
    }
  }
}
