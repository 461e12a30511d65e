// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.process.Jars;
import io.symshuffle.it.process.SparkHome;
import io.symshuffle.it.wait.Await;
import io.symshuffle.plugin.config.SparkVersion;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** The tab in Spark's UI, while the application runs and in the History Server. */
@Tag("full")
class UiIT {

  /** Spark has a dark theme since 4.2. */
  private static final boolean DARK_PAGES =
      SparkVersion.ofThisJar().equals(SparkVersion.SUPPORTED.getLast());

  private static final Path PICTURES = Path.of("target", "pages").toAbsolutePath();
  private static final Pattern BOUND =
      Pattern.compile(
          "Bound HistoryServer to \\S+, and started at http://\\S+:(\\d+)|"
              + "Successfully started service 'HistoryServerUI' on port (\\d+)");

  private static final Pattern WRITTEN_BY =
      Pattern.compile("data-head=\"written by\">stage \\d+ of query \\d+<");

  private static final Pattern ON_DISK = Pattern.compile("data-head=\"on disk\">[0-9.]+ MiB<");

  @TempDir private Path folder;

  @Test
  void tabShowsTheShufflesOfTheApplication() throws Exception {
    run();
  }

  @Test
  @Tag("long")
  void historyServerShowsTheSameTab() throws Exception {
    String id = run();
    history(folder.resolve("events"), id, "history", home -> home.java(512));
  }

  /** Java 17 is the oldest that Spark supports. Executors need a newer one, the server does not. */
  @Test
  @Tag("long")
  void historyServerOnJava17ShowsTheSameTab() throws Exception {
    Optional<Path> java17 = JavaHomes.find(17);
    assumeTrue(java17.isPresent(), "no Java 17 found: set JAVA17_HOME");
    String id = run();
    history(folder.resolve("events"), id, "history-java-17", home -> home.java(java17.get(), 512));
  }

  private String run() throws Exception {
    Path events = Files.createDirectories(folder.resolve("events"));
    ClusterSpec spec =
        ClusterSpec.localCluster(2, 1)
            .with("spark.ui.enabled", "true")
            .with("spark.ui.port", "0")
            .with("spark.symshuffle.heap.size", "8m")
            .with("spark.eventLog.dir", events.toUri().toString());
    String id;
    try (SparkCluster cluster = SparkCluster.start(spec, folder.resolve("application"))) {
      id = cluster.applicationId();
      String page = cluster.context().uiWebUrl().get() + "/symshuffle/";
      work(cluster.session());
      Await.until("the page shows the query", () -> isComplete(get(page)));
      look(page, "live");
    }
    return id;
  }

  private void history(
      Path events, String id, String name, Function<SparkHome, List<String>> java) {
    SparkHome home = SparkHome.create(folder.resolve("home"), List.of(Jars.plugin()));
    List<String> command = new ArrayList<>(java.apply(home));
    command.add("-Dspark.history.fs.logDirectory=" + events.toUri());
    command.add("-Dspark.history.ui.port=0");
    command.add("-Dspark.history.store.path=" + folder.resolve("store"));
    command.add("org.apache.spark.deploy.history.HistoryServer");
    try (ChildProcess server =
        home.process(command).name("history server").log(folder.resolve("history.log")).start()) {
      var bound = server.awaitOutput(BOUND, Await.LIMIT);
      String port = bound.group(1) != null ? bound.group(1) : bound.group(2);
      String page = "http://127.0.0.1:%s/history/%s/symshuffle/".formatted(port, id);
      Await.until("the log is replayed", () -> isComplete(get(page)));
      look(page, name);
      String jobs = get("http://127.0.0.1:%s/history/%s/jobs/".formatted(port, id));
      assertTrue(jobs.contains("Completed Jobs"), jobs);
    }
  }

  private static void work(SparkSession session) {
    // More than the heaps can hold, so that both tiers are used.
    int rows =
        session
            .range(0, 400_000, 1, 4)
            .selectExpr("id", "repeat(string(id), 6) s")
            .repartition(4, org.apache.spark.sql.functions.col("id"))
            .selectExpr("sum(length(s))", "max(id)")
            .collectAsList()
            .size();
    assertEquals(1, rows);
    JavaSparkContext rdds = JavaSparkContext.fromSparkContext(session.sparkContext());
    long keys =
        rdds.parallelize(List.of(1, 2, 3, 4), 2)
            .mapToPair(n -> new Tuple2<>(n % 2, n))
            .reduceByKey(Integer::sum)
            .count();
    assertEquals(2, keys);
  }

  private static boolean isComplete(String html) {
    return html.contains("<b>2 of 2</b>")
        && html.contains("RDD shuffle with aggregation")
        && html.contains("data-head=\"map outputs\">4<")
        && WRITTEN_BY.matcher(html).find()
        && ON_DISK.matcher(html).find();
  }

  /** In a browser, if installed: the page fits the view, and the dark page is dark. */
  private void look(String page, String name) {
    String html = get(page);
    assertTrue(isComplete(html), html);
    if (Browser.programs().isEmpty()) {
      System.out.println(
          "chromium or chromedriver is not installed: the layout of the page is not tested");
      return;
    }
    try (Browser browser = Browser.start(folder.resolve(name))) {
      look(browser, page, name, 1280, false);
      look(browser, page, name, 1280, true);
      look(browser, page, name, 390, true);
    }
  }

  private static void look(Browser browser, String page, String name, int width, boolean dark) {
    browser.open(page, width, width < 700 ? 3000 : 1400, dark);
    browser.screenshot(
        PICTURES.resolve("%s-%s-%d.png".formatted(name, dark ? "dark" : "light", width)));
    int used = browser.run("return document.documentElement.scrollWidth").asInt();
    int brightness =
        browser
            .run(
                "const c = getComputedStyle(document.body).backgroundColor.match(/\\d+/g);"
                    + "return (Number(c[0]) + Number(c[1]) + Number(c[2])) / 3;")
            .asInt();
    int rows = browser.run("return document.querySelectorAll('.sym-table tr').length").asInt();
    int text =
        browser
            .run(
                "return parseFloat(getComputedStyle(document.querySelector('.sym-table"
                    + " td')).fontSize)")
            .asInt();
    int overlap =
        browser
            .run(
                "const right = name => parseFloat(name.left) + parseFloat(name.width);"
                    + "return Math.ceil(Math.max(...[...document.querySelectorAll('.sym-table td')]"
                    + ".map(td => right(getComputedStyle(td, '::before'))"
                    + " - parseFloat(getComputedStyle(td).paddingLeft) || 0)))")
            .asInt();
    assertAll(
        () -> assertTrue(width > 700 || overlap <= 0, "names overlap by " + overlap + " pixels"),
        () -> assertTrue(used <= width, "the page is " + used + " wide at " + width),
        () -> assertEquals(dark && DARK_PAGES, brightness < 100, "brightness " + brightness),
        () -> assertTrue(rows >= 4, rows + " rows"),
        () -> assertTrue(text >= 12, "text of " + text + " pixels"));
  }

  private static String get(String url) {
    try (HttpClient http =
        HttpClient.newBuilder().followRedirects(HttpClient.Redirect.ALWAYS).build()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(url)).timeout(Await.LIMIT).build(),
              BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
