// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.samskivert.mustache.Mustache;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.Map;

/** Fills Mustache templates. Values are escaped; empty texts count as false. */
public final class HtmlTemplate {
  private HtmlTemplate() {}

  /**
   * {@return the page}
   *
   * @param owner a class in the template's package
   * @param name file name of the template
   * @param values by name: texts, or records and lists of them
   */
  public static String fill(Class<?> owner, String name, Map<String, ?> values) {
    try (InputStream in = requireNonNull(owner.getResourceAsStream(name), name)) {
      return Mustache.compiler()
          .emptyStringIsFalse(true)
          .compile(new InputStreamReader(in, UTF_8))
          .execute(values);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
