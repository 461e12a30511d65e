// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.cli.Recommendation;
import io.symshuffle.cli.SymShuffleCommand;
import io.symshuffle.plugin.config.PublishedSettings.Mention;
import io.symshuffle.plugin.rapids.RapidsChoice;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import org.apache.spark.internal.config.ConfigEntry;
import org.junit.jupiter.api.Test;

/**
 * The files in conf, the documentation and the output of tune agree with the code and themselves.
 */
class PublishedSettingsTest {
  private static final String OURS = "io.symshuffle.SymShufflePlugin";

  /**
   * Settings that Spark does not declare in a table, and those of RAPIDS and of modules of Spark
   * that are not on the class path.
   */
  private static final Pattern NOT_HERE =
      Pattern.compile(
          "spark\\.(kubernetes|yarn|executorEnv|ssl|jars|shuffle\\.io|sql\\.catalog)\\..*"
              + "|spark\\.(master|local\\.dir|(executor|driver)\\.defaultJavaOptions)"
              + "|spark\\.(executor|task|worker|driver)\\.resource\\..*"
              + "|spark\\.rapids\\.(memory\\.gpu\\.(allocFraction|allocSize|pool|reserve)"
              + "|memory\\.(pinnedPool\\.(size|setCuioDefault)|host\\.offHeapLimit\\.enabled)"
              + "|shuffle\\.(enabled|mode|ucx|compression\\.codec|multithreaded\\.skipMerge)"
              + "|sql\\.(concurrentGpuTasks|explain|coalescing\\.reader\\.numFilterParallel))");

  private static PublishedSettings tune(String... arguments) {
    List<String> line = new ArrayList<>(List.of("tune"));
    line.addAll(List.of(arguments));
    line.addAll(List.of("--cores=64", "--memory=512g", "--shared-memory=256g"));
    StringWriter out = new StringWriter();
    int status =
        SymShuffleCommand.commandLine(new PrintWriter(out, true), new PrintWriter(out, true), false)
            .execute(line.toArray(String[]::new));
    assertEquals(0, status, out.toString());
    return new PublishedSettings(String.join(" ", line), out.toString());
  }

  private static final List<PublishedSettings> TUNE = tune();

  private static List<PublishedSettings> tune() {
    List<PublishedSettings> outputs = new ArrayList<>();
    for (String kind : List.of("local", "standalone", "yarn", "kubernetes")) {
      for (String gpus : List.of("0", "4")) {
        String nodes = kind.equals("local") ? "1" : "2";
        outputs.add(tune("--cluster=" + kind, "--nodes=" + nodes, "--gpus=" + gpus));
      }
    }
    return outputs;
  }

  /** What users copy: the files in conf and the output of tune. */
  private static List<PublishedSettings> files() throws IOException {
    List<PublishedSettings> files = new ArrayList<>(PublishedSettings.conf());
    files.addAll(TUNE);
    return files;
  }

  private static List<PublishedSettings> all() throws IOException {
    List<PublishedSettings> all = new ArrayList<>(files());
    all.addAll(PublishedSettings.docs());
    return all;
  }

  /** {@return the mentions that match, for messages} */
  private static Set<String> where(
      List<PublishedSettings> texts, BiPredicate<PublishedSettings, Mention> wrong) {
    Set<String> found = new TreeSet<>();
    for (PublishedSettings text : texts) {
      for (Mention mention : text.mentions()) {
        if (wrong.test(text, mention)) {
          found.add(
              "%s: %s%s"
                  .formatted(
                      text.name(),
                      mention.key(),
                      mention.value().map(value -> "=" + value).orElse("")));
        }
      }
    }
    return found;
  }

  private static boolean isOurs(Mention mention) {
    return mention.key().startsWith("spark.symshuffle");
  }

  private static boolean exists(Mention mention) {
    List<String> keys = Settings.keys();
    return mention.pattern()
        ? keys.stream().anyMatch(key -> key.startsWith(mention.key()))
        : keys.contains(mention.key());
  }

  @Test
  void settingsOfSymShuffleExist() throws IOException {
    assertEquals(Set.of(), where(all(), (text, m) -> isOurs(m) && !exists(m)));
  }

  @Test
  void valuesOfSymShuffleSettingsAreAllowed() throws IOException {
    assertEquals(
        Set.of(),
        where(
            all(),
            (text, mention) ->
                isOurs(mention)
                    && mention
                        .value()
                        .filter(value -> !isAllowed(mention.key(), value))
                        .isPresent()));
  }

  private static boolean isAllowed(String key, String value) {
    try {
      ConfigReader.read(Map.of(key, value));
      return true;
    } catch (SymShuffleConfigException e) {
      // Two settings that belong together are wrong alone.
      return e.getMessage().contains("change one of them");
    }
  }

  @Test
  void settingsOfSparkAndRapidsExist() throws IOException {
    assumeTrue(
        SparkVersion.ofThisJar().equals(SparkVersion.SUPPORTED.getLast()),
        "the documentation names settings of the newest Spark");
    // Loading these objects registers their settings.
    assertNotNull(org.apache.spark.internal.config.package$.MODULE$);
    assertNotNull(org.apache.spark.internal.config.Status$.MODULE$);
    assertNotNull(org.apache.spark.internal.config.UI$.MODULE$);
    assertNotNull(org.apache.spark.sql.internal.SQLConf$.MODULE$);
    assertNotNull(org.apache.spark.sql.internal.StaticSQLConf$.MODULE$);
    assertEquals(
        Set.of(),
        where(
            all(),
            (text, m) ->
                !isOurs(m)
                    && !m.pattern()
                    && !NOT_HERE.matcher(m.key()).matches()
                    && ConfigEntry.findEntry(m.key()) == null));
  }

  @Test
  void filesAreAcceptedByThePlugin() throws IOException {
    for (PublishedSettings file : files()) {
      Map<String, String> active = file.active();
      ConfigReader.read(active);
      assertTrue(active.get("spark.plugins").startsWith(OURS), file.name());
      assertEquals("false", active.getOrDefault("spark.shuffle.service.enabled", "false"));
      assertEquals("5min", active.get("spark.cleaner.periodicGC.interval"), file.name());
      assertFalse(active.containsKey(SparkSettingsCheck.CLEANUP_KEY), file.name());
    }
  }

  @Test
  void filesWithDeviceHeapsUseThem() throws IOException {
    int found = 0;
    for (PublishedSettings file : files()) {
      Map<String, String> active = file.active();
      if (active.containsKey(Settings.DEVICE_PES.key())) {
        SymShuffleConfig config = ConfigReader.read(active);
        boolean tables =
            active.get("spark.plugins").equals(OURS + "," + RapidsChoice.PLUGIN)
                && !config.rapidsMode().equals("host");
        assertTrue(tables, file.name() + " starts no device heap");
        RapidsChoice.MUST_BE_FALSE.forEach(
            key -> assertEquals("false", active.getOrDefault(key, "false"), file.name()));
        found++;
      }
    }
    assertEquals(2, found);
  }

  /** Apart from sizes of machines, which the files give as examples. */
  @Test
  void filesHaveTheSettingsOfAnExpert() throws IOException {
    int found = 0;
    for (PublishedSettings file : files()) {
      Map<String, String> active = file.active();
      if (!active.containsKey("spark.executor.memory")) {
        continue;
      }
      List<Recommendation> expected =
          new ArrayList<>(
              ExpertSettings.ofExecutors(
                  Integer.parseInt(active.get("spark.executor.cores")),
                  ByteSize.parse(active.get("spark.executor.memory")).bytes()));
      if (active.get("spark.plugins").contains(RapidsChoice.PLUGIN)) {
        expected.addAll(ExpertSettings.onGpus(0, 8L << 30, 0));
      }
      for (Recommendation setting : expected) {
        assertEquals(setting.value(), active.get(setting.key()), file.name() + " " + setting.key());
      }
      found++;
    }
    assertTrue(found > 3, "files with executors: " + found);
  }

  /** It is a fraction of the memory that is free after our heap, so less leaves memory idle. */
  @Test
  void nobodyLowersTheFractionOfRapids() throws IOException {
    assertEquals(
        Set.of(),
        where(
            all(),
            (text, m) ->
                m.key().equals("spark.rapids.memory.gpu.allocFraction")
                    && (m.value().isPresent() || !m.paragraph().contains("default"))));
  }
}
