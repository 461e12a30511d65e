// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.plugin.config.JavaDefects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Java version of this process and of Spark, the platform, and options of the JVM. */
final class JavaChecks {
  private static final int NO_SECURITY_MANAGER = 24;
  private static final Pattern RELEASE = Pattern.compile("JAVA_VERSION=\"(.+)\"");

  private static final Pattern OTHER_COLLECTOR =
      Pattern.compile("-XX:\\+Use(Parallel|Serial|Z|Shenandoah|Epsilon)GC\\b");

  private static final KnownProblem JAVA_TOO_OLD = KnownProblem.named("java-too-old");
  private static final KnownProblem FAULTY_G1 = KnownProblem.named("faulty-g1");
  private static final KnownProblem FAULTY_COMPACT_HEADERS =
      KnownProblem.named("faulty-compact-headers");
  private static final KnownProblem OTHER_SYSTEM = KnownProblem.named("other-system");
  private static final KnownProblem OTHER_PROCESSOR = KnownProblem.named("other-processor");
  private static final KnownProblem NATIVE_ACCESS_DENIED =
      KnownProblem.named("native-access-denied");
  private static final KnownProblem UNSAFE_DENIED = KnownProblem.named("unsafe-denied");
  private static final KnownProblem SECURITY_MANAGER = KnownProblem.named("security-manager");

  static final List<Check> ALL =
      List.of(
          new Check(
              "Java", List.of(JAVA_TOO_OLD, FAULTY_G1, FAULTY_COMPACT_HEADERS), JavaChecks::java),
          new Check("platform", List.of(OTHER_SYSTEM, OTHER_PROCESSOR), JavaChecks::platform),
          new Check(
              "JVM options",
              List.of(NATIVE_ACCESS_DENIED, UNSAFE_DENIED, SECURITY_MANAGER),
              JavaChecks::options));

  private JavaChecks() {}

  private static List<Finding> java(Host host) {
    List<Finding> findings = new ArrayList<>();
    Runtime.Version own = host.probe().javaVersion();
    String running = "This process runs on Java " + own;
    examine(host, own, running, findings);
    if (findings.isEmpty()) {
      findings.add(Finding.ok(running));
    }
    javaHomes(host)
        .forEach(
            (name, home) ->
                version(host, home)
                    .ifPresent(
                        version ->
                            examine(
                                host,
                                version,
                                "%s is %s, which is Java %s".formatted(name, home, version),
                                findings)));
    return findings;
  }

  private static void examine(
      Host host, Runtime.Version version, String found, List<Finding> findings) {
    if (version.feature() < JavaDefects.OLDEST_JAVA) {
      findings.add(Finding.fail(JAVA_TOO_OLD, found));
    }
    if (JavaDefects.hasFaultyG1(version) && usesG1(host)) {
      findings.add(Finding.fail(FAULTY_G1, found));
    }
    if (JavaDefects.hasFaultyCompactHeaders(version)) {
      optionsByPlace(host)
          .forEach(
              (place, options) -> {
                if (options.contains(JavaDefects.COMPACT_HEADERS)) {
                  findings.add(
                      Finding.fail(
                          FAULTY_COMPACT_HEADERS,
                          "%s, and %s has %s"
                              .formatted(found, place, JavaDefects.COMPACT_HEADERS)));
                }
              });
    }
  }

  /** Whether the driver or the executors use G1, Java's default. */
  private static boolean usesG1(Host host) {
    Map<String, String> options = optionsByPlace(host);
    Predicate<String> choosesOther =
        prefix ->
            options.entrySet().stream()
                .filter(each -> each.getKey().startsWith(prefix))
                .anyMatch(each -> OTHER_COLLECTOR.matcher(each.getValue()).find());
    return !choosesOther.test("J")
        && !(choosesOther.test("spark.driver.") && choosesOther.test("spark.executor."));
  }

  /**
   * Returns the Java versions that Spark is started with, by where they are set; the version of
   * this process if none is set.
   */
  static Map<String, Integer> sparkVersions(Host host) {
    Map<String, Integer> versions = new TreeMap<>();
    javaHomes(host)
        .forEach(
            (name, home) -> version(host, home).ifPresent(v -> versions.put(name, v.feature())));
    return versions.isEmpty()
        ? Map.of("this process", host.probe().javaVersion().feature())
        : versions;
  }

  private static Map<String, String> javaHomes(Host host) {
    Map<String, String> homes = new TreeMap<>();
    host.variable("JAVA_HOME").ifPresent(home -> homes.put("JAVA_HOME", home));
    for (String key :
        List.of(
            "spark.executorEnv.JAVA_HOME",
            "spark.yarn.appMasterEnv.JAVA_HOME",
            "spark.kubernetes.driverEnv.JAVA_HOME")) {
      String home = host.setting(key, "");
      if (!home.isEmpty()) {
        homes.put(key, home);
      }
    }
    return homes;
  }

  private static Optional<Runtime.Version> version(Host host, String home) {
    return host
        .lines(host.root().relativize(host.root().resolve("." + home).normalize()) + "/release")
        .stream()
        .map(RELEASE::matcher)
        .filter(Matcher::matches)
        .map(match -> parse(match.group(1)))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<Runtime.Version> parse(String version) {
    try {
      return Optional.of(Runtime.Version.parse(version));
    } catch (IllegalArgumentException e) {
      // Java 8 has 1.8.0_452.
      return version.startsWith("1.") ? Optional.of(Runtime.Version.parse("8")) : Optional.empty();
    }
  }

  private static List<Finding> platform(Host host) {
    String system = host.probe().property("os.name");
    String processor = host.probe().property("os.arch");
    String found = "%s %s, %s".formatted(system, host.probe().property("os.version"), processor);
    if (!system.equals("Linux")) {
      return List.of(Finding.fail(OTHER_SYSTEM, found));
    }
    return List.of(
        processor.equals("amd64") ? Finding.ok(found) : Finding.warn(OTHER_PROCESSOR, found));
  }

  private static List<Finding> options(Host host) {
    List<Finding> findings = new ArrayList<>();
    optionsByPlace(host)
        .forEach(
            (place, options) -> {
              if (options.contains("--illegal-native-access=deny")
                  && !options.contains("--enable-native-access=ALL-UNNAMED")) {
                findings.add(
                    Finding.fail(
                        NATIVE_ACCESS_DENIED, place + " has --illegal-native-access=deny"));
              }
              if (options.contains("--sun-misc-unsafe-memory-access=deny")) {
                findings.add(
                    Finding.fail(
                        UNSAFE_DENIED, place + " has --sun-misc-unsafe-memory-access=deny"));
              }
              if (host.probe().javaVersion().feature() >= NO_SECURITY_MANAGER
                  && options.contains("-Djava.security.manager")
                  && !options.contains("-Djava.security.manager=disallow")) {
                findings.add(
                    Finding.fail(SECURITY_MANAGER, place + " has -Djava.security.manager"));
              }
            });
    return Finding.orOk(findings, "No option prevents native memory access");
  }

  private static Map<String, String> optionsByPlace(Host host) {
    Map<String, String> options = new TreeMap<>();
    for (String name : List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS")) {
      host.variable(name).ifPresent(value -> options.put(name, value));
    }
    for (String side : List.of("driver", "executor")) {
      for (String which : List.of("extraJavaOptions", "defaultJavaOptions")) {
        String key = "spark." + side + "." + which;
        options.put(key, host.setting(key, ""));
      }
    }
    return options;
  }
}
