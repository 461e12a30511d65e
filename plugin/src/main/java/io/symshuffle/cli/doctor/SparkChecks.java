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

  private static final KnownProblem OTHER_SPARK = KnownProblem.named("other-spark");
  private static final KnownProblem JAVA_TOO_NEW = KnownProblem.named("java-too-new");
  private static final KnownProblem TWO_JARS = KnownProblem.named("two-jars-of-ours");
  private static final KnownProblem WRONG_SETTING = KnownProblem.named("wrong-setting");
  private static final KnownProblem MISSING_CLASS = KnownProblem.named("missing-plugin-class");
  private static final KnownProblem MISSING_JAR = KnownProblem.named("missing-jar");
  private static final KnownProblem PLUGIN_NOT_ENABLED = KnownProblem.named("not-switched-on");
  private static final KnownProblem OTHER_MANAGER = KnownProblem.named("other-shuffle-manager");
  private static final KnownProblem SHUFFLE_SERVICE = KnownProblem.named("shuffle-service");
  private static final KnownProblem DYNAMIC_ALLOCATION = KnownProblem.named("dynamic-allocation");
  private static final KnownProblem FILE_CLEANUP = KnownProblem.named("file-cleanup");
  private static final KnownProblem RAPIDS_TWICE = KnownProblem.named("rapids-twice");
  private static final KnownProblem OTHER_RAPIDS = KnownProblem.named("rapids-other-version");
  private static final KnownProblem RAPIDS_NOT_ENABLED =
      KnownProblem.named("rapids-not-switched-on");

  static final List<Check> ALL =
      List.of(
          new Check("Spark", List.of(OTHER_SPARK, JAVA_TOO_NEW, TWO_JARS), SparkChecks::jars),
          new Check("settings", List.of(WRONG_SETTING, PLUGIN_NOT_ENABLED), SparkChecks::settings),
          new Check("jars", List.of(MISSING_CLASS, MISSING_JAR), SparkChecks::applicationJars),
          new Check(
              "Spark's settings",
              List.of(OTHER_MANAGER, SHUFFLE_SERVICE, DYNAMIC_ALLOCATION, FILE_CLEANUP),
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
    if (host.isTrue(SparkSettingsCheck.CLEANUP_KEY)) {
      findings.add(Finding.warn(FILE_CLEANUP, SparkSettingsCheck.CLEANUP_KEY + " is true"));
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
