// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.rapids.RapidsVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * Something that can be wrong, from the user's point of view. The texts are sentences without their
 * final period; all of them are in {@code problems.properties}.
 *
 * @param id short and stable, for programs and for links into the documentation
 * @param symptom what the user sees or finds in a log
 * @param cause why
 * @param remedy the setting to change or the command to run
 */
record KnownProblem(String id, String symptom, String cause, String remedy) {
  private static final Properties TEXTS = new Properties();

  static {
    try (InputStream in = KnownProblem.class.getResourceAsStream("problems.properties")) {
      TEXTS.load(
          new InputStreamReader(
              requireNonNull(in, "problems.properties is missing"), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static KnownProblem named(String id) {
    return new KnownProblem(id, text(id, "symptom"), text(id, "cause"), text(id, "remedy"));
  }

  private static String text(String id, String part) {
    String key = id + "." + part;
    return requireNonNull(TEXTS.getProperty(key), key).replace("${rapids}", RapidsVersion.KNOWN);
  }
}
