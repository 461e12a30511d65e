// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertAll;
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
import java.nio.file.Files;
import java.nio.file.Path;
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
  private static final long GIB = 1L << 30;
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
              + "|sql\\.(concurrentGpuTasks|explain))");

  private static PublishedSettings tune(String... arguments) {
    List<String> line = new ArrayList<>(List.of("tune"));
    line.addAll(List.of(arguments));
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
        outputs.add(
            tune(
                "--cluster=" + kind,
                "--nodes=" + nodes,
                "--gpus=" + gpus,
                "--cores=64",
                "--memory=512g",
                "--shared-memory=256g"));
      }
    }
    return outputs;
  }

  /** What users copy: the files in conf and the output of tune. */
  private static List<PublishedSettings> files() throws IOException {
    List<PublishedSettings> files = new ArrayList<>(PublishedSettings.conf());
    files.add(PublishedSettings.application());
    files.addAll(TUNE);
    return files;
  }

  private static List<PublishedSettings> all() throws IOException {
    List<PublishedSettings> all = new ArrayList<>(files());
    all.addAll(PublishedSettings.docs());
    return all;
  }

  /** Returns the mentions that match, for messages. */
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

  /** Apart from sizes, which the files give as examples, and what is for servers. */
  @Test
  void filesHaveWhatTunePrintsForTheirExecutors() throws IOException {
    Pattern notCompared =
        Pattern.compile(
            "spark\\.(executor\\.(instances|memory|memoryOverhead|defaultJavaOptions)"
                + "|symshuffle\\.heap\\.size|sql\\.(connect\\.|thriftserver\\.)?shuffleDependency.*)");
    int found = 0;
    List<PublishedSettings> files = new ArrayList<>(PublishedSettings.conf());
    files.add(PublishedSettings.application());
    for (PublishedSettings file : files) {
      Map<String, String> active = file.active();
      if (!active.containsKey("spark.executor.memory")) {
        continue;
      }
      int cores = Integer.parseInt(active.get("spark.executor.cores"));
      Map<String, String> printed =
          active.containsKey(Settings.DEVICE_PES.key())
              ? tune(
                      "--gpus=" + active.get(Settings.DEVICE_PES.key()),
                      "--cores=" + active.get("spark.cores.max"),
                      "--memory=512g")
                  .active()
              : tune(
                      file.name().contains("yarn") ? "--cluster=yarn" : "--cluster=kubernetes",
                      "--nodes=" + active.get("spark.executor.instances"),
                      "--cores=" + cores,
                      "--memory=128g",
                      "--gpus=0")
                  .active();
      printed.keySet().removeIf(key -> notCompared.matcher(key).matches());
      assertTrue(printed.size() >= 5, printed::toString);
      printed.forEach(
          (key, value) -> assertEquals(value, active.get(key), file.name() + " " + key));
      long java = ByteSize.parse(active.get("spark.executor.memory")).bytes();
      for (Recommendation setting : ExpertSettings.ofExecutors(cores, java)) {
        assertEquals(setting.value(), active.get(setting.key()), file.name() + " " + setting.key());
      }
      assertTrue(
          java <= 31 * GIB || java >= 48 * GIB,
          file.name() + ": pointers of a Java heap of 32 GiB are larger");
      found++;
    }
    assertEquals(4, found, "files with executors");
  }

  /** The command in the file prints settings that fit the node, and fill it. */
  @Test
  void workerOfAGpuNodeHasRoomForWhatTunePrints() throws IOException {
    Object worker = PublishedSettings.kubernetes("standalone-gpu.yaml").getLast();
    Object pod = PublishedSettings.at(worker, "spec", "template", "spec");
    Object container = PublishedSettings.at(pod, "containers", 0);
    List<?> arguments = (List<?>) PublishedSettings.at(container, "args");
    int gpus = (int) PublishedSettings.at(container, "resources", "limits", "nvidia.com/gpu");
    String page =
        PublishedSettings.docs().stream()
            .filter(doc -> doc.name().endsWith("kubernetes.md"))
            .findFirst()
            .orElseThrow()
            .text();
    String command =
        "bin/symshuffle tune --nodes %s --gpus %d --cores %s --memory 640g --shared-memory %s"
            .formatted(
                PublishedSettings.at(worker, "spec", "replicas"),
                gpus,
                arguments.get(arguments.indexOf("--cores") + 1),
                gibibytes(PublishedSettings.at(pod, "volumes", 0, "emptyDir", "sizeLimit")));
    assertTrue(page.contains("\n    " + command + "\n"), command + " in " + page);
    assertTrue(
        Files.readString(Path.of("../conf/kubernetes/standalone-gpu.yaml")).contains(command));
    PublishedSettings printed = tune(command.substring("bin/symshuffle tune ".length()).split(" "));
    Map<String, String> active = printed.active();
    long java = ByteSize.parse(active.get("spark.executor.memory")).bytes();
    long all = java + ByteSize.parse(active.get("spark.executor.memoryOverhead")).bytes();
    long limit =
        ByteSize.parse(gibibytes(PublishedSettings.at(container, "resources", "limits", "memory")))
            .bytes();
    assertAll(
        printed.text(),
        () ->
            assertEquals(
                gpus * java,
                ByteSize.parse((String) arguments.get(arguments.indexOf("--memory") + 1)).bytes()),
        () -> assertTrue(gpus * all <= limit, "8 executors in the container"),
        () -> assertTrue(gpus * all > limit / 100 * 95, "the container is full"),
        () -> assertTrue(limit <= 640 * GIB / 10 * 9, "what the system leaves"),
        () ->
            assertTrue(
                page.contains(
                    "`spark.symshuffle.heap.size` to " + active.get("spark.symshuffle.heap.size"))),
        () ->
            assertTrue(
                page.contains("`spark.executor.cores` to " + active.get("spark.executor.cores"))),
        () ->
            assertTrue(
                page.contains(
                    "`spark.task.resource.gpu.amount` to "
                        + active.get("spark.task.resource.gpu.amount"))));
  }

  @Test
  void podsWithAGpuHaveTheResourceThatTunePrints() throws IOException {
    Map<String, String> printed =
        tune("--cluster=kubernetes", "--gpus=4", "--cores=64", "--memory=512g").active();
    Object template = PublishedSettings.kubernetes("executor-gpu.yaml").getFirst();
    String vendor = printed.get("spark.executor.resource.gpu.vendor");
    assertEquals(
        printed.get("spark.executor.resource.gpu.amount"),
        PublishedSettings.at(
                template, "spec", "containers", 0, "resources", "limits", vendor + "/gpu")
            .toString());
  }

  private static String gibibytes(Object quantity) {
    return quantity.toString().replaceAll("Gi$", "g");
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
