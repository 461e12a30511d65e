// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Creates a test's temporary folder in shared memory if possible. */
public final class SharedMemory implements TempDirFactory {
  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    Path shm = Path.of("/dev/shm");
    return Files.isWritable(shm)
        ? Files.createTempDirectory(shm, "symshuffle-test-")
        : Files.createTempDirectory("symshuffle-test-");
  }
}
