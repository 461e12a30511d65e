// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import io.symshuffle.docs.GeneratedPage;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The picture at the start of the page about the architecture shows the packages as they are. */
class ArchitectureDocTest {
  /** The modules that the one jar consists of, highest first. */
  private static final List<String> MODULES = List.of("plugin", "shuffle", "native");

  private static final String ROOT = "io.symshuffle";

  /** The module of each package. */
  private final Map<String, String> modules = new TreeMap<>();

  /** The packages that each package uses. */
  private final Map<String, Set<String>> used = new TreeMap<>();

  /** As {@link #used}, and what those use, and so on. */
  private final Map<String, Set<String>> reachable = new HashMap<>();

  @Test
  void pictureShowsThePackagesAndWhatTheyUse() throws IOException {
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    for (JavaClass type : CompiledClasses.read("classes")) {
      String module = CompiledClasses.moduleOf(type);
      if (MODULES.contains(module)) {
        String name = type.getPackageName();
        modules.put(name, module);
        Set<String> others = used.computeIfAbsent(name, any -> new TreeSet<>());
        type.getDirectDependenciesFromSelf()
            .forEach(
                use -> others.add(use.getTargetClass().getBaseComponentType().getPackageName()));
        others.removeIf(other -> other.equals(name) || !isOurs(other));
      }
    }
    GeneratedPage.assertPartUpToDate("architecture.md", "packages", picture());
  }

  private static boolean isOurs(String name) {
    return name.equals(ROOT) || name.startsWith(ROOT + ".");
  }

  /** A flowchart of Mermaid, in which each module is a box around its packages. */
  private String picture() {
    StringBuilder chart = new StringBuilder("```mermaid\nflowchart TD\n");
    for (String module : MODULES) {
      // An id of its own, since a package has the name of its module.
      chart.append("subgraph %s-module[%s]\n".formatted(module, module));
      packagesFromTheTop()
          .filter(name -> modules.get(name).equals(module))
          .forEach(name -> appendPackage(chart, name));
      chart.append("end\n");
    }
    // Within a box, an arrow would move the other module's package into it.
    packagesFromTheTop()
        .forEach(name -> arrows(name, false).forEach(arrow -> chart.append(arrow).append('\n')));
    return chart.append("```\n").toString();
  }

  private void appendPackage(StringBuilder chart, String name) {
    List<String> arrows = arrows(name, true);
    boolean isDrawnByAnother =
        used.keySet().stream().anyMatch(other -> arrows(other, true).contains(arrow(other, name)));
    if (arrows.isEmpty() && !isDrawnByAnother) {
      chart.append(label(name)).append('\n');
    }
    arrows.forEach(arrow -> chart.append(arrow).append('\n'));
  }

  /** A package comes before all that it uses. */
  private Stream<String> packagesFromTheTop() {
    return used.keySet().stream()
        .sorted(
            Comparator.comparingInt((String name) -> -reachable(name).size())
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Without those to packages that are also reached through another one. */
  private List<String> arrows(String name, boolean inModule) {
    Set<String> others = used.get(name);
    return others.stream()
        .filter(other -> others.stream().noneMatch(via -> reachable(via).contains(other)))
        .filter(other -> modules.get(other).equals(modules.get(name)) == inModule)
        .map(other -> arrow(name, other))
        .toList();
  }

  private Set<String> reachable(String name) {
    return reachable.computeIfAbsent(name, this::findReachable);
  }

  private Set<String> findReachable(String name) {
    Set<String> found = new TreeSet<>(used.get(name));
    Deque<String> toFollow = new ArrayDeque<>(found);
    while (!toFollow.isEmpty()) {
      for (String other : used.get(toFollow.remove())) {
        if (found.add(other)) {
          toFollow.add(other);
        }
      }
    }
    return found;
  }

  private static String arrow(String from, String to) {
    return label(from) + "-->" + label(to);
  }

  private static String label(String name) {
    return name.equals(ROOT) ? name : name.substring(ROOT.length() + 1);
  }
}
