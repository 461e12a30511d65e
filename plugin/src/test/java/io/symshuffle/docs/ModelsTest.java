// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lets SPIN search every state of the models in {@code docs/models}, and find the mistake in each
 * of their mutants. Skipped where {@code spin} or {@code gcc} is not installed.
 */
@Tag("full")
class ModelsTest {
  private static final Path MODELS = Path.of("..", "docs", "models");
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** Names of mutants in the comment at the start of a model. */
  private static final Pattern MUTANT = Pattern.compile("(?m)^ \\*   ([A-Z_]{5,}) ");

  private static final Pattern STATES = Pattern.compile("(\\d+) states, stored");

  /** What happens in an execution, see the model. */
  private static final String ONE_RUN = "-DTASKS=1 -DDEATHS=0 -DREADS=1 -DROUNDS=2 -DLATE=2";

  private static final String DEATH = "-DTASKS=1 -DDEATHS=1 -DREADS=1 -DROUNDS=0 -DLATE=2";
  private static final String LATE_STARTS = "-DTASKS=1 -DDEATHS=1 -DREADS=0 -DROUNDS=0 -DLATE=1";
  private static final String DEAD_OWNER =
      "-DOWNER_DEAD -DTASKS=1 -DDEATHS=0 -DREADS=1 -DROUNDS=1 -DLATE=3";
  private static final String TWO_RUNS = "-DTASKS=2 -DDEATHS=0 -DREADS=1 -DROUNDS=0 -DLATE=3";

  /** Larger than what SPIN searches completely within seconds; mutants end it early. */
  private static final String TWO_RUNS_RECLAIMED =
      "-DTASKS=2 -DDEATHS=0 -DREADS=1 -DROUNDS=1 -DLATE=3";

  private static final String TWO_REAPERS =
      "-DOWNER_DEAD -DTASKS=1 -DDEATHS=0 -DREADS=1 -DROUNDS=2 -DLATE=1";
  private static final String TWO_RUNS_READ_TWICE =
      "-DTASKS=2 -DDEATHS=0 -DREADS=2 -DROUNDS=1 -DLATE=3";
  private static final String TWO_RUNS_DEATH = "-DTASKS=2 -DDEATHS=1 -DREADS=1 -DROUNDS=1 -DLATE=3";

  private static final String FREED_WHILE_READ = "window[o].memory[slab]==k";
  private static final String LOST = "ended>=k";
  private static final String NOT_FREED = "window[p].memory[0]==0";

  /** What happens, and the assertion that fails. */
  record Mutant(String name, String scenario, String consequence) {
    @Override
    public String toString() {
      return name;
    }
  }

  @TempDir Path folder;

  static Stream<String> scenarios() {
    return Stream.of(ONE_RUN, DEATH, LATE_STARTS, DEAD_OWNER, TWO_RUNS);
  }

  static Stream<Mutant> mutants() {
    return Stream.of(
        new Mutant("LEASE_AFTER_LOOKUP", ONE_RUN, FREED_WHILE_READ),
        new Mutant("LEASE_STORED_LATE", ONE_RUN, FREED_WHILE_READ),
        new Mutant("HIDDEN_BEFORE_ERASED", ONE_RUN, FREED_WHILE_READ),
        new Mutant("LEASES_READ_FIRST", ONE_RUN, FREED_WHILE_READ),
        new Mutant("HIDDEN_NOT_COMPARED", TWO_RUNS_RECLAIMED, FREED_WHILE_READ),
        new Mutant("NO_VERSION", TWO_RUNS, FREED_WHILE_READ),
        new Mutant("STATE_BEFORE_FIELDS", TWO_RUNS_RECLAIMED, FREED_WHILE_READ),
        new Mutant("NO_SECOND_LOOK", TWO_RUNS, FREED_WHILE_READ),
        new Mutant("CACHED_FOR_EVER", TWO_RUNS_READ_TWICE, FREED_WHILE_READ),
        new Mutant("CHAIN_CUT", TWO_RUNS_RECLAIMED, LOST),
        new Mutant("COMMITS_AFTER_END", TWO_RUNS_DEATH, NOT_FREED),
        new Mutant("STARTS_AFTER_END", TWO_RUNS_DEATH, NOT_FREED),
        new Mutant("ENDS_LATER_RUNS", TWO_RUNS_RECLAIMED, LOST),
        new Mutant("RELEASE_AFTER_FREE", TWO_RUNS_RECLAIMED, FREED_WHILE_READ),
        new Mutant("DEAD_ARE_LEASED", DEATH, NOT_FREED),
        new Mutant("REAPER_IGNORES_LEASES", DEAD_OWNER, FREED_WHILE_READ),
        new Mutant("LISTED_AFTER_LEASES", TWO_REAPERS, FREED_WHILE_READ),
        new Mutant("REAPER_IS_DONE", TWO_RUNS_DEATH, NOT_FREED),
        new Mutant("NEW_PE_NOT_TOLD", LATE_STARTS, NOT_FREED));
  }

  @Test
  void everyMutantOfTheModelIsTested() throws IOException {
    Set<String> named = new TreeSet<>();
    Matcher names = MUTANT.matcher(Files.readString(MODELS.resolve("shuffle.pml")));
    while (names.find()) {
      named.add(names.group(1));
    }
    Map<String, Mutant> tested = new TreeMap<>();
    mutants().forEach(mutant -> tested.put(mutant.name(), mutant));
    assertEquals(named, tested.keySet());
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void modelHasNoBadState(String scenario) throws IOException {
    String output = search(scenario);
    assertTrue(output.contains("errors: 0"), output);
    assertTrue(!output.contains("Search not completed"), output);
    Matcher states = STATES.matcher(output);
    assertTrue(states.find(), output);
    // Another version may merge other steps into one state.
    if (output.contains("Spin Version 6.5.2")) {
      String row =
          String.format(Locale.ROOT, "| `%s` | %,d |", scenario, Integer.valueOf(states.group(1)));
      assertTrue(
          Files.readString(MODELS.resolve("README.md")).contains(row), () -> "no row with " + row);
    }
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void searchFindsTheMistakeOf(Mutant mutant) {
    String output = search(mutant.scenario() + " -D" + mutant.name());
    assertTrue(output.contains("errors: 1"), output);
    assertTrue(output.contains("assertion violated"), output);
    assertTrue(output.contains(mutant.consequence()), output);
  }

  /** Searches a model; returns what SPIN reports. */
  private String search(String definitions) {
    assumeTrue(isInstalled("spin", "-V"), "spin is not installed: apt-get install spin");
    assumeTrue(isInstalled("gcc", "--version"), "gcc is not installed: apt-get install gcc");
    List<String> generate = new ArrayList<>(List.of("spin", "-a"));
    generate.addAll(Arrays.asList(definitions.split(" ", -1)));
    generate.add(MODELS.resolve("shuffle.pml").toAbsolutePath().normalize().toString());
    passed(generate);
    passed(List.of("gcc", "-O2", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=2000", "-o", "pan", "pan.c"));
    String output = passed(List.of("./pan", "-m20000", "-w22"));
    assertTrue(!output.contains("max search depth too small"), output);
    return output;
  }

  private String passed(List<String> command) {
    ChildProcess.Result result = ChildProcess.of(command).folder(folder).run(LIMIT);
    assertTrue(result.passed(), () -> command + " " + result.ending() + ": " + result.output());
    return result.output();
  }

  private static boolean isInstalled(String... command) {
    return ChildProcess.of(List.of(command)).run(LIMIT).passed();
  }
}
