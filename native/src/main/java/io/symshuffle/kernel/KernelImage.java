// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Properties;

/**
 * A fatbin in the jar, which is absent when the jar was built without nvcc.
 *
 * @param bytes the image; empty when it is absent
 * @param reason why it is absent, as the build recorded it; empty when it is present or nothing was
 *     recorded
 */
public record KernelImage(Optional<byte[]> bytes, String reason) {
  /** Name of the fatbin, which is a resource next to this class. */
  static final String RESOURCE = "symshuffle.fatbin";

  /** The build's notes about the kernels; see native/build-kernels.sh. */
  static final String PROPERTIES = "kernels.properties";

  private static final String UNKNOWN_REASON = "its build recorded no reason";

  /**
   * @param bytes a fatbin; empty for none
   */
  public KernelImage(Optional<byte[]> bytes) {
    this(bytes, UNKNOWN_REASON);
  }

  /** Returns the kernels of this jar. */
  public static KernelImage find() {
    return find(RESOURCE);
  }

  /** Returns a fatbin next to this class, which may be absent. */
  static KernelImage find(String resource) {
    try (InputStream in = KernelImage.class.getResourceAsStream(resource)) {
      return in == null
          ? new KernelImage(Optional.empty(), recordedReason())
          : new KernelImage(Optional.of(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException("the resource " + resource + " cannot be read", e);
    }
  }

  private static String recordedReason() throws IOException {
    try (InputStream in = KernelImage.class.getResourceAsStream(PROPERTIES)) {
      if (in == null) {
        return UNKNOWN_REASON;
      }
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("reason", UNKNOWN_REASON);
    }
  }

  /** Returns why it is absent, a sentence with its remedy; empty when it is present. */
  public Optional<String> absence() {
    return bytes.isPresent()
        ? Optional.empty()
        : Optional.of(
            "this jar has no GPU kernels (%s): use a released jar, or build it where CUDA 12.8 or newer is installed"
                .formatted(reason));
  }
}
