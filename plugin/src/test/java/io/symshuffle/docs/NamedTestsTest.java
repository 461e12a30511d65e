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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The documentation names tests that exist, and says which of them run with {@code -Plong} only.
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
              objection(type, name, cell.contains("-Plong"))
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
    String method =
        (name.group(2).isEmpty() ? "" : "\\w*")
            + name.group(3)
            + (name.group(4).isEmpty() ? "" : "\\w*");
    List<Boolean> isLong = new ArrayList<>();
    collect(type, Pattern.compile(method), isLong);
    if (isLong.isEmpty()) {
      return Optional.of("is not a test of " + type);
    }
    return !marked && isLong.stream().allMatch(each -> each)
        ? Optional.of("runs with -Plong only, which the same cell or line must say")
        : Optional.empty();
  }

  /** For each test method with such a name, of the class and its supertypes: is it a long one? */
  private void collect(String type, Pattern name, List<Boolean> isLong) {
    String source = sources.getOrDefault(type, "");
    boolean all = Pattern.compile("(?m)^@Tag\\(\"long\"\\)").matcher(source).find();
    Matcher methods = METHOD.matcher(source);
    while (methods.find()) {
      if (name.matcher(methods.group(2)).matches()) {
        isLong.add(all || methods.group(1).contains("@Tag(\"long\")"));
      }
    }
    Matcher types = SUPERTYPES.matcher(source);
    while (types.find()) {
      for (int group : List.of(1, 2)) {
        String parent = types.group(group);
        if (parent != null && !parent.equals(type) && sources.containsKey(parent)) {
          collect(parent, name, isLong);
        }
      }
    }
  }
}
