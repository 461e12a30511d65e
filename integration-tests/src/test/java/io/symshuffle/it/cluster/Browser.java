// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Headless Chromium, driven by ChromeDriver through the W3C WebDriver protocol. {@link #close()}
 * ends both.
 */
final class Browser implements AutoCloseable {
  private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ChildProcess driver;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String session;

  private Browser(ChildProcess driver, String base, Map<String, ?> capabilities) {
    this.driver = driver;
    JsonNode answer =
        post(base + "/session", Map.of("capabilities", Map.of("alwaysMatch", capabilities)));
    this.session = base + "/session/" + answer.get("sessionId").asText();
  }

  /** Returns the paths of chromium and chromedriver; empty if either is not installed. */
  public static Optional<List<Path>> programs() {
    Optional<Path> chromium = program("chromium").or(() -> program("google-chrome"));
    Optional<Path> chromedriver = program("chromedriver");
    return chromium.isPresent() && chromedriver.isPresent()
        ? Optional.of(List.of(chromium.get(), chromedriver.get()))
        : Optional.empty();
  }

  /**
   * Starts a browser.
   *
   * @param folder for its profile and its log
   * @return the browser, showing an empty page
   */
  public static Browser start(Path folder) {
    List<Path> programs =
        programs()
            .orElseThrow(
                () -> new IllegalStateException("chromium or chromedriver is not installed"));
    ChildProcess driver =
        ChildProcess.of(programs.get(1).toString(), "--port=0")
            .name("chromedriver")
            .log(folder.resolve("chromedriver.log"))
            .start();
    try {
      String port = driver.awaitOutput(STARTED, Await.LIMIT).group(1);
      List<String> arguments =
          List.of(
              "--headless",
              "--no-sandbox",
              "--disable-gpu",
              "--disable-dev-shm-usage",
              "--disable-quic",
              "--no-first-run",
              "--disable-background-networking",
              "--disable-component-update",
              "--disable-sync",
              "--hide-scrollbars",
              "--user-data-dir=" + folder.resolve("profile"));
      return new Browser(
          driver,
          "http://127.0.0.1:" + port,
          Map.of(
              "goog:chromeOptions",
              Map.of("binary", programs.getFirst().toString(), "args", arguments)));
    } catch (RuntimeException e) {
      driver.close();
      throw e;
    }
  }

  /** Returns a program in a folder of the {@code PATH}; empty if it is not installed. */
  static Optional<Path> program(String name) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      Path program = Path.of(folder).resolve(name);
      if (!folder.isBlank() && Files.isExecutable(program)) {
        return Optional.of(program);
      }
    }
    return Optional.empty();
  }

  /**
   * Opens a page in a view of the given size.
   *
   * @param url the page
   * @param width of the view in CSS pixels; emulated, so it can be narrower than any window
   * @param height of the view in CSS pixels
   * @param dark whether the user prefers dark pages
   */
  public void open(String url, int width, int height, boolean dark) {
    post(
        session + "/goog/cdp/execute",
        Map.of(
            "cmd",
            "Emulation.setEmulatedMedia",
            "params",
            Map.of(
                "features",
                List.of(
                    Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light")))));
    post(
        session + "/goog/cdp/execute",
        Map.of(
            "cmd",
            "Emulation.setDeviceMetricsOverride",
            "params",
            Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false)));
    post(session + "/url", Map.of("url", url));
  }

  /**
   * Runs JavaScript in the page.
   *
   * @param script the body of a function, with a return statement
   * @return its result
   */
  public JsonNode run(String script) {
    return post(session + "/execute/sync", Map.of("script", script, "args", List.of()));
  }

  /**
   * Takes a screenshot of the view.
   *
   * @param file PNG file to create or replace; its folder is created
   */
  public void screenshot(Path file) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, Base64.getDecoder().decode(send(get(session + "/screenshot")).asText()));
    } catch (IOException e) {
      throw new UncheckedIOException("writing " + file, e);
    }
  }

  private JsonNode post(String url, Map<String, ?> body) {
    try {
      return send(
          HttpRequest.newBuilder(URI.create(url))
              .timeout(Await.LIMIT)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
              .build());
    } catch (IOException e) {
      throw new UncheckedIOException(url, e);
    }
  }

  private static HttpRequest get(String url) {
    return HttpRequest.newBuilder(URI.create(url)).timeout(Await.LIMIT).GET().build();
  }

  private JsonNode send(HttpRequest request) {
    try {
      JsonNode value =
          JSON.readTree(http.send(request, BodyHandlers.ofString()).body()).get("value");
      if (value.has("error")) {
        throw new IllegalStateException(
            "%s: %s".formatted(value.get("error").asText(), value.get("message").asText()));
      }
      return value;
    } catch (IOException e) {
      throw new UncheckedIOException(request.uri().toString(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted at " + request.uri(), e);
    }
  }

  @Override
  public void close() {
    driver.close();
    http.close();
  }
}
