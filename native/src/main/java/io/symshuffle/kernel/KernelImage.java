// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Properties;

/**
 * A fatbin in the jar as a value: present, or absent because the jar was built without nvcc.
 *
 * @param bytes the image; empty when it is absent
 * @param reason why it is absent, as the build recorded it; empty when it is present or nothing was
 *     recorded
 */
public record KernelImage(Optional<byte[]> bytes, String reason) {
  /** Beside this class. */
  static final String RESOURCE = "symshuffle.fatbin";

  /** What the build says about the kernels; see native/build-kernels.sh. */
  static final String PROPERTIES = "kernels.properties";

  private static final String NO_WORD = "its build recorded no reason";

  /** Checks. */
  public KernelImage {
    requireNonNull(bytes, "bytes is null");
    requireNonNull(reason, "reason is null");
  }

  /**
   * An image from elsewhere.
   *
   * @param bytes a fatbin; empty for none
   */
  public KernelImage(Optional<byte[]> bytes) {
    this(bytes, NO_WORD);
  }

  /** {@return the kernels of this jar} */
  public static KernelImage find() {
    return find(KernelImage.class, RESOURCE);
  }

  /**
   * Returns a fatbin next to a class.
   *
   * @param place the class
   * @param resource file name of the fatbin; {@code kernels.properties} is next to it
   * @return the fatbin, which may be absent
   */
  public static KernelImage find(Class<?> place, String resource) {
    try (InputStream in = place.getResourceAsStream(resource)) {
      return in == null
          ? new KernelImage(Optional.empty(), noted(place))
          : new KernelImage(Optional.of(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException("the resource " + resource + " cannot be read", e);
    }
  }

  private static String noted(Class<?> place) throws IOException {
    try (InputStream in = place.getResourceAsStream(PROPERTIES)) {
      if (in == null) {
        return NO_WORD;
      }
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("reason", NO_WORD);
    }
  }

  /** {@return why it is absent, a sentence with its remedy; empty when it is there} */
  public Optional<String> absence() {
    return bytes.isPresent()
        ? Optional.empty()
        : Optional.of(
            "this jar has no GPU kernels (%s): use a released jar, or build it where CUDA 12.8 or newer is installed"
                .formatted(reason));
  }
}
