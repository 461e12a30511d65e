// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Java of this process, and that which Spark is told to use. */
final class JavaCheck implements Check {
  static final int NEEDED = 25;
  private static final Pattern RELEASE = Pattern.compile("JAVA_VERSION=\"(\\d+).*\"");

  static final Ailment TOO_OLD =
      new Ailment(
          "java-too-old",
          "Executors or the driver end with UnsupportedClassVersionError: class file version 69.0",
          "SymShuffle is compiled for Java 25, and Spark is started with an older one",
          "export JAVA_HOME=/path/to/jdk-25 before spark-submit, and set"
              + " spark.executorEnv.JAVA_HOME=/path/to/jdk-25 (on YARN also"
              + " spark.yarn.appMasterEnv.JAVA_HOME)");

  @Override
  public String title() {
    return "Java";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(TOO_OLD);
  }

  @Override
  public List<Finding> examine(Host host) {
    List<Finding> findings = new ArrayList<>();
    int own = host.instruments().javaVersion().feature();
    String running = "this process runs on Java " + host.instruments().javaVersion();
    findings.add(own >= NEEDED ? Finding.ok(running) : Finding.fail(TOO_OLD, running));
    homes(host)
        .forEach(
            (name, home) ->
                version(host, home)
                    .filter(version -> version < NEEDED)
                    .ifPresent(
                        version ->
                            findings.add(
                                Finding.fail(
                                    TOO_OLD,
                                    "%s is %s, a Java %d".formatted(name, home, version)))));
    return findings;
  }

  private static Map<String, String> homes(Host host) {
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

  private static Optional<Integer> version(Host host, String home) {
    Path relative = host.root().relativize(host.root().resolve("." + home).normalize());
    return host.lines(relative + "/release").stream()
        .map(RELEASE::matcher)
        .filter(Matcher::matches)
        .map(match -> Integer.valueOf(match.group(1)))
        .findFirst();
  }
}
