// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Options of the JVM that leave us no way to native memory. */
final class FlagsCheck implements Check {
  static final Ailment DENIED =
      new Ailment(
          "native-access-denied",
          "The start fails with IllegalCallerException: Illegal native access",
          "native access is denied to all but named modules, and SymShuffle's jar lies in the"
              + " unnamed one",
          "add --enable-native-access=ALL-UNNAMED to the same options, or remove"
              + " --illegal-native-access=deny");
  static final Ailment UNSAFE_DENIED =
      new Ailment(
          "unsafe-denied",
          "Spark itself fails with UnsupportedOperationException in sun.misc.Unsafe",
          "Spark's rows lie in memory that it reaches through sun.misc.Unsafe",
          "replace --sun-misc-unsafe-memory-access=deny by --sun-misc-unsafe-memory-access=allow");
  static final Ailment SECURITY_MANAGER =
      new Ailment(
          "security-manager",
          "The JVM does not start: A command line option has attempted to allow or enable the"
              + " Security Manager",
          "Java 24 and later have none",
          "remove -Djava.security.manager from the options");

  @Override
  public String title() {
    return "JVM options";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(DENIED, UNSAFE_DENIED, SECURITY_MANAGER);
  }

  @Override
  public List<Finding> examine(Host host) {
    List<Finding> findings = new ArrayList<>();
    options(host)
        .forEach(
            (where, options) -> {
              if (options.contains("--illegal-native-access=deny")
                  && !options.contains("--enable-native-access=ALL-UNNAMED")) {
                findings.add(Finding.fail(DENIED, where + " has --illegal-native-access=deny"));
              }
              if (options.contains("--sun-misc-unsafe-memory-access=deny")) {
                findings.add(
                    Finding.fail(
                        UNSAFE_DENIED, where + " has --sun-misc-unsafe-memory-access=deny"));
              }
              if (options.contains("-Djava.security.manager")
                  && !options.contains("-Djava.security.manager=disallow")) {
                findings.add(
                    Finding.fail(SECURITY_MANAGER, where + " has -Djava.security.manager"));
              }
            });
    return findings.isEmpty()
        ? List.of(Finding.ok("nothing is set that would stand in the way"))
        : findings;
  }

  private static Map<String, String> options(Host host) {
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
