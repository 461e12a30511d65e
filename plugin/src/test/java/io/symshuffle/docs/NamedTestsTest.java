// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The documentation names tests that exist, and says which of them run with {@code -Plong} only.
 * The table of promises says of each in which tier it runs.
 */
class NamedTestsTest {
  private static final Path TREE = Path.of("..");

  /**
   * Such as <code>`FuzzTest`</code>, <code>`FuzzTest.name`</code>, <code>`FuzzTest.start…`</code>,
   * <code>`FuzzTest.…end`</code> and, for a test of the class before, <code>`….name`</code>.
   */
  private static final Pattern NAME =
      Pattern.compile("`(?:([A-Z]\\w*(?:Test|IT))|…)(?:\\.(…?)(\\w+)(…?))?`");

  /** A test method with its comment and annotations, which begin after an empty line or a brace. */
  private static final Pattern METHOD =
      Pattern.compile(
          "(?:\\n\\n|\\{\\n)((?:(?!\\n\\n).)*?)\\n {2,4}(?:\\w+ )*void (\\w+)\\(", Pattern.DOTALL);

  private static final Pattern SUPERTYPES =
      Pattern.compile("\\b(?:class|interface) \\w+(?: extends (\\w+))?(?: implements (\\w+))?");

  private static final Pattern ANNOTATED_TEST = Pattern.compile("@(\\w*Test|TestFactory)\\b");
  private static final Pattern TAG = Pattern.compile("@Tag\\(\"(\\w+)\"\\)");
  private static final Pattern CLASS_TAG = Pattern.compile("(?m)^" + TAG);

  /** When a test runs, in the order of the columns of the table of promises. */
  private enum Tier {
    ALWAYS,
    FULL,
    LONG_OR_GPU
  }

  private final Map<String, String> sources;

  NamedTestsTest() throws IOException {
    try (Stream<Path> files =
        Files.find(
            TREE,
            20,
            (path, file) ->
                path.toString().endsWith(".java") && path.toString().contains("/src/test/"))) {
      sources =
          files.collect(
              Collectors.toMap(
                  path -> path.getFileName().toString().replace(".java", ""),
                  NamedTestsTest::read,
                  (one, other) -> one + other));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void documentationNamesTestsAsTheyAre() throws IOException {
    List<String> wrong = new ArrayList<>();
    int found = 0;
    try (Stream<Path> docs = Files.find(TREE.resolve("docs"), 2, (path, file) -> isPage(path));
        Stream<Path> pages = Stream.concat(docs, Stream.of(TREE.resolve("CONTRIBUTING.md")))) {
      for (Path page : pages.toList()) {
        String type = "";
        for (String line : Files.readAllLines(page)) {
          for (String cell : line.split("\\|", -1)) {
            for (MatchResult name : NAME.matcher(cell).results().toList()) {
              if ((name.group(1) == null && name.group(3) == null) || isPlaceholder(name)) {
                continue;
              }
              type = name.group(1) == null ? type : name.group(1);
              objection(type, name, cell.contains("-Plong") || isPromise(line))
                  .ifPresent(each -> wrong.add(page + ": " + name.group() + " " + each));
              found++;
            }
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(found > 100, () -> "names found in docs: " + wrong);
  }

  /** The table of promises has a column for {@code -Plong}. */
  private static boolean isPromise(String row) {
    return row.chars().filter(each -> each == '|').count() == 2 + Tier.values().length;
  }

  @Test
  void promisesHaveTestsOfTheTiersOfTheirColumns() throws IOException {
    String page = Files.readString(TREE.resolve("docs/reliability.md"));
    String section = page.substring(page.indexOf("## Promises and their tests"));
    List<String> wrong = new ArrayList<>();
    int found = 0;
    for (String row : section.lines().filter(NamedTestsTest::isPromise).toList()) {
      String[] cells = row.split("\\|", -1);
      int column = 2;
      for (Tier tier : Tier.values()) {
        for (MatchResult name : NAME.matcher(cells[column++]).results().toList()) {
          Optional<Tier> actual = tierOf(name);
          if (!actual.equals(Optional.of(tier))) {
            wrong.add(
                name.group() + " is in the column of " + tier + ", but its tier is " + actual);
          }
          found++;
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(found > 100, found + " tests of promises");
  }

  /** The earliest tier of the tests with a name, in which some of them run. */
  private Optional<Tier> tierOf(MatchResult name) {
    return tiersOf(name.group(1), name).stream().min(Comparator.naturalOrder());
  }

  private Set<Tier> tiersOf(String type, MatchResult name) {
    String method =
        name.group(3) == null
            ? "\\w+"
            : (name.group(2).isEmpty() ? "" : "\\w*")
                + name.group(3)
                + (name.group(4).isEmpty() ? "" : "\\w*");
    Set<Tier> tiers = EnumSet.noneOf(Tier.class);
    collectTiers(type, Pattern.compile(method), Set.of(), tiers);
    return tiers;
  }

  private void collectTiers(String type, Pattern name, Set<String> inherited, Set<Tier> tiers) {
    String source = sources.getOrDefault(type, "");
    Set<String> tags = with(inherited, CLASS_TAG, source);
    if (type.startsWith("Gpu")) {
      tags.add("gpu");
    }
    Matcher methods = METHOD.matcher(source);
    while (methods.find()) {
      if (name.matcher(methods.group(2)).matches()
          && ANNOTATED_TEST.matcher(methods.group(1)).find()) {
        Set<String> all = with(tags, TAG, methods.group(1));
        tiers.add(
            all.contains("long") || all.contains("gpu")
                ? Tier.LONG_OR_GPU
                : all.contains("full") ? Tier.FULL : Tier.ALWAYS);
      }
    }
    Matcher types = SUPERTYPES.matcher(source);
    while (types.find()) {
      for (int group : List.of(1, 2)) {
        String parent = types.group(group);
        if (parent != null && !parent.equals(type) && sources.containsKey(parent)) {
          collectTiers(parent, name, tags, tiers);
        }
      }
    }
  }

  private static Set<String> with(Set<String> tags, Pattern pattern, String text) {
    Set<String> all = new HashSet<>(tags);
    pattern.matcher(text).results().forEach(tag -> all.add(tag.group(1)));
    return all;
  }

  private static boolean isPlaceholder(MatchResult name) {
    return name.group(1) != null && name.group(1).startsWith("Xxx");
  }

  private static boolean isPage(Path path) {
    return path.toString().endsWith(".md");
  }

  private Optional<String> objection(String type, MatchResult name, boolean marked) {
    if (!sources.containsKey(type)) {
      return Optional.of("is not a test class");
    }
    if (name.group(3) == null) {
      return Optional.empty();
    }
    Set<Tier> tiers = tiersOf(type, name);
    if (tiers.isEmpty()) {
      return Optional.of("is not a test of " + type);
    }
    return !marked && tiers.equals(Set.of(Tier.LONG_OR_GPU)) && !type.startsWith("Gpu")
        ? Optional.of("runs with -Plong only, which the same cell or line must say")
        : Optional.empty();
  }
}
