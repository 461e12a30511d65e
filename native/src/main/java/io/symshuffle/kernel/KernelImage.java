// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * The fatbin in the jar as a value: there, or absent because the jar was built without nvcc.
 *
 * @param bytes the image; empty when it is absent
 */
public record KernelImage(Optional<byte[]> bytes) {
  /** Beside this class. */
  static final String RESOURCE = "symshuffle.fatbin";

  /** Checks. */
  public KernelImage {
    requireNonNull(bytes, "bytes is null");
  }

  /** {@return the image of this jar} */
  public static KernelImage find() {
    try (InputStream in = KernelImage.class.getResourceAsStream(RESOURCE)) {
      return new KernelImage(in == null ? Optional.empty() : Optional.of(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException("the resource " + RESOURCE + " cannot be read", e);
    }
  }

  /** {@return why it is absent, a sentence with its remedy; empty when it is there} */
  public Optional<String> absence() {
    return bytes.isPresent()
        ? Optional.empty()
        : Optional.of(
            "this jar was built without nvcc and has no GPU kernels: take a released jar, or build"
                + " it where CUDA 12.8 or newer is installed");
  }
}
