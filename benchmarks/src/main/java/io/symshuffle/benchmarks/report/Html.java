// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Pieces of a page that needs no other file: text made harmless, and the frame with its style. */
public final class Html {
  private Html() {}

  /** Text that shows as it is, in an element or a quoted attribute. */
  public static String text(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }

  /**
   * The whole page.
   *
   * @param title plain text
   * @param body HTML
   */
  public static String page(String title, String body) {
    return """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>%s</title>
    <style>
    %s</style>
    </head>
    <body>
    <main>
    %s</main>
    </body>
    </html>
    """
        .formatted(text(title), style(), body);
  }

  private static String style() {
    try (InputStream in = Html.class.getResourceAsStream("report.css")) {
      if (in == null) {
        throw new IllegalStateException("report.css is not on the class path");
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
