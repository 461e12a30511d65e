// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SparkSettingsCheck;
import io.symshuffle.plugin.config.SparkVersion;
import io.symshuffle.plugin.config.SymShuffleConfigException;
import io.symshuffle.plugin.rapids.RapidsChoice;
import io.symshuffle.plugin.rapids.RapidsVersion;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The jars of Spark, SymShuffle and RAPIDS, and the settings of the application. */
final class SparkChecks {
  static final String PLUGIN = "io.symshuffle.SymShufflePlugin";
  static final String RAPIDS_PLUGIN = RapidsChoice.PLUGIN;

  static final String MANAGER = "io.symshuffle.shuffle.SymShuffleManager";
  private static final Pattern CORE_JAR =
      Pattern.compile("spark-core_([0-9.]+)-([0-9.]+)(-.*)?\\.jar");
  private static final Pattern HADOOP_JAR =
      Pattern.compile("hadoop-client-(?:api|runtime)-([0-9.]+)(-.*)?\\.jar");
  private static final Version MIN_HADOOP_FOR_NEW_JAVA = Version.parse("3.4.3");
  private static final int MAX_JAVA_FOR_OLD_HADOOP = 22;
  private static final Pattern OUR_JAR =
      Pattern.compile("symshuffle-spark-([0-9.]+)_2\\.13.*\\.jar");
  private static final Pattern CLASSIFIED_JAR = Pattern.compile(".*-(sources|javadoc|tests)\\.jar");
  private static final Pattern RAPIDS_JAR =
      Pattern.compile("rapids-4-spark_2\\.1[23]-([0-9.]+)(-SNAPSHOT)?(-cuda\\d+)?\\.jar");
  private static final Pattern CUDF_JAR = Pattern.compile("cudf-.*\\.jar");

  private static final List<String> SERVICE_KEYS =
      List.of(
          SparkSettingsCheck.SERVICE_KEY,
          SparkSettingsCheck.PUSH_KEY,
          SparkSettingsCheck.OLD_PROTOCOL_KEY);

  private static final KnownProblem OTHER_SPARK =
      new KnownProblem(
          "other-spark",
          "SymShuffle is disabled: this jar is built for Spark ..., but this is Spark ...",
          "Each version of Spark has its own jar, and this one is for another version",
          "Use the jar that the finding names; there are jars for Spark 4.0, 4.1 and 4.2, all with"
              + " Scala 2.13");
  private static final KnownProblem JAVA_TOO_NEW =
      new KnownProblem(
          "java-too-new",
          "UnsupportedOperationException: getSubject is not supported; executors end at their"
              + " start, are started again, and the job hangs",
          "The Hadoop clients of Spark 4.0 and 4.1 do not run on Java 23 and later",
          "Run Spark 4.0 and 4.1 on Java 21: export JAVA_HOME=/path/to/jdk-21 before spark-submit,"
              + " and set spark.executorEnv.JAVA_HOME=/path/to/jdk-21");
  private static final KnownProblem TWO_JARS =
      new KnownProblem(
          "two-jars-of-ours",
          "NoSuchMethodError in io.symshuffle classes, or a valid setting is reported as unknown",
          "Two versions of SymShuffle's jar are on the class path",
          "Remove all but one of them from $SPARK_HOME/jars, --jars and extraClassPath");
  private static final KnownProblem WRONG_SETTING =
      new KnownProblem(
          "wrong-setting",
          "The application does not start: SymShuffleConfigException",
          "A SymShuffle setting is misspelled or has an invalid value",
          "Correct it; the finding says what is allowed, docs/configuration.md lists all settings");
  private static final KnownProblem MISSING_CLASS =
      new KnownProblem(
          "missing-plugin-class",
          "The application does not start: ClassNotFoundException for a class in spark.plugins",
          "The name is misspelled, or the plugin's jar is not among the application's",
          "Correct spark.plugins, or add the jar to spark.jars (spark-submit --jars) or to"
              + " $SPARK_HOME/jars");
  private static final KnownProblem MISSING_JAR =
      new KnownProblem(
          "missing-jar",
          "The application does not start: a file of spark.jars does not exist",
          "A path in spark.jars is wrong",
          "Correct the path");
  private static final KnownProblem PLUGIN_NOT_ENABLED =
      new KnownProblem(
          "not-switched-on",
          "Everything works, but nothing is faster; the log does not mention SymShuffle",
          "spark.plugins does not name the plugin",
          "Set spark.plugins=io.symshuffle.SymShufflePlugin, or add it to the list of plugins"
              + " there");
  private static final KnownProblem OTHER_MANAGER =
      new KnownProblem(
          "other-shuffle-manager",
          "Everything works, but nothing is faster; a warning says that SymShuffle is disabled, or"
              + " that it has replaced sort shuffle",
          "Spark can have only one shuffle manager",
          "Remove spark.shuffle.manager; to keep the other manager without the warning, set"
              + " spark.symshuffle.enabled=false");
  private static final KnownProblem SHUFFLE_SERVICE =
      new KnownProblem(
          "shuffle-service",
          "A warning says that executors do not use the external shuffle service, or push no"
              + " blocks",
          "The external shuffle service reads files, and SymShuffle's map outputs are in memory",
          "Set spark.shuffle.service.enabled=false, and remove spark.shuffle.push.enabled and"
              + " spark.shuffle.useOldFetchProtocol");
  private static final KnownProblem DYNAMIC_ALLOCATION =
      new KnownProblem(
          "dynamic-allocation",
          "Map outputs are lost when executors are removed, and Spark recomputes them",
          "Dynamic allocation without shuffle tracking removes executors whose map outputs"
              + " are still needed",
          "If executors run on several hosts, set"
              + " spark.dynamicAllocation.shuffleTracking.enabled=true, and"
              + " spark.dynamicAllocation.maxExecutors so that the heaps are sized for all"
              + " executors");
  private static final KnownProblem RAPIDS_TWICE =
      new KnownProblem(
          "rapids-twice",
          "NoSuchMethodError in com.nvidia or ai.rapids classes, or libcudf cannot be loaded",
          "There are several RAPIDS jars, or a cuDF jar in addition to the RAPIDS jar, which"
              + " includes cuDF",
          "Keep exactly one rapids-4-spark jar and no cuDF jar");
  private static final KnownProblem OTHER_RAPIDS =
      new KnownProblem(
          "rapids-other-version",
          "GPU tables go through host memory, as in RAPIDS' own shuffle, and the log says so",
          "SymShuffle calls internal classes of RAPIDS and is tested with "
              + RapidsVersion.KNOWN
              + " only",
          "Use rapids-4-spark "
              + RapidsVersion.KNOWN
              + ".x to keep tables on the GPU; everything else works without it");
  private static final KnownProblem RAPIDS_NOT_ENABLED =
      new KnownProblem(
          "rapids-not-switched-on",
          "Queries run on the CPU",
          "The RAPIDS jar is present, but spark.plugins does not name its plugin",
          "Set spark.plugins=io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin");

  static final List<Check> ALL =
      List.of(
          new Check("Spark", List.of(OTHER_SPARK, JAVA_TOO_NEW, TWO_JARS), SparkChecks::jars),
          new Check("settings", List.of(WRONG_SETTING, PLUGIN_NOT_ENABLED), SparkChecks::settings),
          new Check("jars", List.of(MISSING_CLASS, MISSING_JAR), SparkChecks::applicationJars),
          new Check(
              "Spark's settings",
              List.of(OTHER_MANAGER, SHUFFLE_SERVICE, DYNAMIC_ALLOCATION),
              SparkChecks::conflicts),
          new Check(
              "RAPIDS",
              List.of(RAPIDS_TWICE, OTHER_RAPIDS, RAPIDS_NOT_ENABLED),
              SparkChecks::rapids));

  private SparkChecks() {}

  private static List<Finding> jars(Host host) {
    SparkJars jars = SparkJars.of(host);
    Map<String, Path> ours = jars.named(OUR_JAR);
    ours.keySet().removeIf(name -> CLASSIFIED_JAR.matcher(name).matches());
    List<Finding> findings = new ArrayList<>();
    findings.add(spark(jars, ours.keySet()));
    jars.first(HADOOP_JAR).ifPresent(hadoop -> findings.add(hadoop(host, hadoop.group(1))));
    if (ours.size() > 1) {
      findings.add(Finding.fail(TWO_JARS, "Found " + String.join(" and ", ours.keySet())));
    }
    return findings;
  }

  /**
   * The jar for the Spark of this machine. Without a SymShuffle jar among the application's, as
   * when the doctor runs from a source tree, nothing is wrong yet.
   */
  private static Finding spark(SparkJars jars, Set<String> ours) {
    Optional<Matcher> core = jars.first(CORE_JAR);
    if (core.isEmpty()) {
      return Finding.skip(
          "Spark was not found: set SPARK_HOME, or put Spark's jars on the class path");
    }
    String scala = core.get().group(1);
    SparkVersion version = SparkVersion.of(core.get().group(2));
    String found = "Spark %s with Scala %s: ".formatted(core.get().group(2), scala);
    Optional<String> jar = version.jar().filter(name -> scala.equals("2.13"));
    if (jar.isEmpty()) {
      return Finding.fail(OTHER_SPARK, found + "no SymShuffle jar supports it");
    }
    List<String> others =
        ours.stream().filter(name -> !isFor(version, name)).map(name -> "not " + name).toList();
    String use = found + "use " + jar.get();
    return others.isEmpty()
        ? Finding.ok(use)
        : Finding.fail(OTHER_SPARK, use + ", " + String.join(", ", others));
  }

  private static boolean isFor(SparkVersion version, String jar) {
    Matcher match = OUR_JAR.matcher(jar);
    return match.matches() && match.group(1).equals(version.text());
  }

  private static Finding hadoop(Host host, String version) {
    String versions =
        JavaChecks.sparkVersions(host).entrySet().stream()
            .map(java -> "Java %d (%s)".formatted(java.getValue(), java.getKey()))
            .collect(Collectors.joining(", "));
    boolean tooNew =
        Version.parse(version).compareTo(MIN_HADOOP_FOR_NEW_JAVA) < 0
            && JavaChecks.sparkVersions(host).values().stream()
                .anyMatch(java -> java > MAX_JAVA_FOR_OLD_HADOOP);
    return tooNew
        ? Finding.fail(
            JAVA_TOO_NEW,
            "Hadoop client %s needs Java %d or older, but Spark runs on %s"
                .formatted(version, MAX_JAVA_FOR_OLD_HADOOP, versions))
        : Finding.ok("Hadoop client %s fits %s".formatted(version, versions));
  }

  private static List<Finding> settings(Host host) {
    if (host.settings().isEmpty()) {
      return List.of(
          Finding.skip("No settings given: use --conf KEY=VALUE or --properties-file FILE"));
    }
    List<Finding> findings = new ArrayList<>();
    try {
      ConfigReader.read(host.settings());
      findings.add(
          Finding.ok(
              "Settings given: %d. All SymShuffle settings are valid"
                  .formatted(host.settings().size())));
    } catch (SymShuffleConfigException e) {
      findings.add(Finding.fail(WRONG_SETTING, e.getMessage().replaceAll("\\s+", " ")));
    }
    if (!host.plugins().contains(PLUGIN)) {
      findings.add(Finding.warn(PLUGIN_NOT_ENABLED, pluginsOf(host)));
    }
    return findings;
  }

  private static List<Finding> applicationJars(Host host) {
    if (host.settings().isEmpty()) {
      return List.of(Finding.skip("No settings given"));
    }
    List<Finding> findings = new ArrayList<>();
    for (String path : SparkJars.missing(host)) {
      findings.add(Finding.fail(MISSING_JAR, path + " in spark.jars does not exist"));
    }
    SparkJars jars = SparkJars.of(host);
    for (String plugin : host.plugins()) {
      if (!plugin.isEmpty() && !jars.contain(plugin)) {
        String found = "no jar of the application that can be read here contains " + plugin;
        findings.add(
            SparkJars.comeFromElsewhere(host)
                ? Finding.warn(MISSING_CLASS, found)
                : Finding.fail(MISSING_CLASS, found));
      }
    }
    return Finding.orOk(findings, "The jars of the application contain its plugins");
  }

  private static String pluginsOf(Host host) {
    return "spark.plugins is '" + host.setting("spark.plugins", "") + "'";
  }

  private static List<Finding> conflicts(Host host) {
    if (host.settings().isEmpty()) {
      return List.of(Finding.skip("No settings given"));
    }
    List<Finding> findings = new ArrayList<>();
    String manager = host.setting("spark.shuffle.manager", MANAGER);
    if (!manager.equals(MANAGER)) {
      findings.add(conflict(host, OTHER_MANAGER, "spark.shuffle.manager is " + manager));
    }
    for (String key : SERVICE_KEYS) {
      if (host.isTrue(key)) {
        findings.add(conflict(host, SHUFFLE_SERVICE, key + " is true"));
      }
    }
    if (host.isTrue("spark.dynamicAllocation.enabled")
        && !host.setting("spark.master", "").startsWith("local")
        && host.setting("spark.dynamicAllocation.shuffleTracking.enabled", "true")
            .equals("false")) {
      findings.add(
          Finding.warn(
              DYNAMIC_ALLOCATION, "Dynamic allocation is enabled without shuffle tracking"));
    }
    return Finding.orOk(findings, "No setting conflicts with SymShuffle");
  }

  /** The application starts and warns, unless it requires that all settings fit. */
  private static Finding conflict(Host host, KnownProblem problem, String found) {
    return host.isTrue(Settings.REQUIRED.key())
        ? Finding.fail(problem, "%s, and %s is true".formatted(found, Settings.REQUIRED.key()))
        : Finding.warn(problem, found);
  }

  private static List<Finding> rapids(Host host) {
    SparkJars jars = SparkJars.of(host);
    Set<String> rapids = jars.named(RAPIDS_JAR).keySet();
    Set<String> cudf = jars.named(CUDF_JAR).keySet();
    if (rapids.isEmpty() && cudf.isEmpty()) {
      return List.of(Finding.skip("No RAPIDS jar; SymShuffle does not need it"));
    }
    if (rapids.size() != 1 || !cudf.isEmpty()) {
      List<String> all = new ArrayList<>(rapids);
      all.addAll(cudf);
      return List.of(Finding.fail(RAPIDS_TWICE, "Found " + String.join(", ", all)));
    }
    List<Finding> findings = new ArrayList<>();
    String jar = rapids.iterator().next();
    Matcher match = RAPIDS_JAR.matcher(jar);
    boolean tested = match.matches() && match.group(1).startsWith(RapidsVersion.KNOWN);
    findings.add(tested ? Finding.ok(jar) : Finding.warn(OTHER_RAPIDS, jar));
    if (!host.settings().isEmpty() && !host.plugins().contains(RAPIDS_PLUGIN)) {
      findings.add(Finding.warn(RAPIDS_NOT_ENABLED, pluginsOf(host)));
    }
    return findings;
  }
}
