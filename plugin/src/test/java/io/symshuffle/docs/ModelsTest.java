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
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Lets SPIN search every state of the models in {@code docs/models}, and find the mistake in each
 * of their mutants. Skipped where {@code spin} or {@code gcc} is not installed.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class ModelsTest {
  private static final Path MODELS = Path.of("..", "docs", "models");
  private static final String SHUFFLE = "shuffle.pml";
  private static final String CUDA_HEAP = "cuda-heap.pml";
  private static final Duration LIMIT = Duration.ofMinutes(25);

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

  private static final String TWO_REAPERS =
      "-DOWNER_DEAD -DREADING -DONLY_LATE=1 -DTASKS=1 -DDEATHS=0 -DREADS=0 -DROUNDS=2";

  private static final String DEATH_WHILE_RECLAIMED =
      "-DREADING -DONLY_KILLED=0 -DLATE=3 -DTASKS=1 -DDEATHS=1 -DREADS=0 -DROUNDS=1";
  private static final String DEATH_WHILE_REAPED =
      "-DOWNER_DEAD -DREADING -DLATE=3 -DTASKS=1 -DDEATHS=1 -DREADS=0 -DROUNDS=1";

  /** Larger than what SPIN searches completely within seconds; mutants end it early. */
  private static final String TWO_RUNS_RECLAIMED =
      "-DTASKS=2 -DDEATHS=0 -DREADS=1 -DROUNDS=1 -DLATE=3";

  private static final String TWO_RUNS_READ_TWICE =
      "-DTASKS=2 -DDEATHS=0 -DREADS=2 -DROUNDS=1 -DLATE=3";
  private static final String TWO_RUNS_DEATH = "-DTASKS=2 -DDEATHS=1 -DREADS=1 -DROUNDS=1 -DLATE=3";

  private static final String FREED_WHILE_READ = "window[o].memory[slab]==k";
  private static final String FREED_BY_REAPER = "window[0].memory[0]==1";
  private static final String LOST = "ended>=k";
  private static final String NOT_FREED = "window[p].memory[0]==0";

  private static final String RECREATED = "-DTASKS=2 -DREADS=2 -DPRESENT=2";
  private static final String OWNER_READS = "-DTASKS=2 -DREADS=2 -DREADERS=3 -DPRESENT=2";
  private static final String KILLED = "-DDEATHS=1 -DPRESENT=2";
  private static final String KILLED_WHILE_ONE_JOINS =
      "-DPUBLISHED -DENDS_LAST -DREADERS=4 -DDEATHS=1 -DLATE=2 -DPRESENT=3";
  private static final String KILLED_WHILE_ONE_LEAVES =
      "-DPUBLISHED -DENDS_LAST -DREADERS=2 -DDEATHS=1 -DLEAVES=1 -DPRESENT=2";
  private static final String WRITES_AND_LEAVES =
      "-DTASKS=2 -DREADS=0 -DREADERS=0 -DLEAVES=1 -DLEAVERS=1 -DMISSES=2 -DPRESENT=2";
  private static final String LEAVES_WHILE_ONE_JOINS =
      "-DPUBLISHED -DENDS_LAST -DREADERS=4 -DLEAVES=1 -DLEAVERS=1 -DLATE=2 -DPRESENT=3";
  private static final String LEAVES_WITHOUT_DRIVER =
      "-DPUBLISHED -DENDS_LAST -DTASKS=2 -DWITHOUT_DRIVER -DLEAVES=1 -DLEAVERS=1 -DPRESENT=2";
  private static final String FOLDER_REMOVED = "-DPUBLISHED -DREMOVED -DDEATHS=1 -DPRESENT=2";
  private static final String LATE_GPU = "-DTASKS=2 -DLATES=1 -DPRESENT=2";
  private static final String OTHER_THREAD = "-DFEED -DPRESENT=2";

  /** Larger, too. */
  private static final String OWNER_DOES_NOT_ANSWER =
      "-DTASKS=2 -DREADERS=4 -DMISSES=1 -DPRESENT=3";

  private static final String UNMAPPED_WHILE_READ = "(pe[1].mapped) )!=0";
  private static final String STALE_MEMORY_READ = ".mapped) )]==pe[";
  private static final String UNMAPPED_WHILE_WRITTEN = "own!=0";
  private static final String NOT_HANDED_OVER = "handed==0";
  private static final String NOT_FOUND = "number0!=handedOver";
  private static final String STILL_MAPPED = "pe[1].mapped==0";

  /** What happens in executions of a model. */
  record Scenario(String model, String options) {
    @Override
    public String toString() {
      return model + " " + options;
    }
  }

  /** What happens, and the assertion that fails. */
  record Mutant(Scenario scenario, String name, String consequence) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Mutant shuffle(String name, String options, String consequence) {
    return new Mutant(new Scenario(SHUFFLE, options), name, consequence);
  }

  private static Mutant cudaHeap(String name, String options, String consequence) {
    return new Mutant(new Scenario(CUDA_HEAP, options), name, consequence);
  }

  @TempDir Path folder;

  static Stream<Scenario> scenarios() {
    return Stream.concat(
        Stream.of(ONE_RUN, DEATH, LATE_STARTS, DEAD_OWNER, TWO_REAPERS, TWO_RUNS)
            .map(options -> new Scenario(SHUFFLE, options)),
        Stream.of(
                RECREATED,
                OWNER_READS,
                KILLED,
                KILLED_WHILE_ONE_JOINS,
                KILLED_WHILE_ONE_LEAVES,
                WRITES_AND_LEAVES,
                LEAVES_WHILE_ONE_JOINS,
                LEAVES_WITHOUT_DRIVER,
                FOLDER_REMOVED,
                LATE_GPU,
                OTHER_THREAD)
            .map(options -> new Scenario(CUDA_HEAP, options)));
  }

  /** Scenarios that take more than a minute each. */
  static Stream<Scenario> largeScenarios() {
    return Stream.of(DEATH_WHILE_RECLAIMED, DEATH_WHILE_REAPED)
        .map(options -> new Scenario(SHUFFLE, options));
  }

  static Stream<Mutant> mutants() {
    return Stream.of(
        shuffle("LEASE_AFTER_LOOKUP", ONE_RUN, FREED_WHILE_READ),
        shuffle("LEASE_STORED_LATE", ONE_RUN, FREED_WHILE_READ),
        shuffle("HIDDEN_BEFORE_ERASED", ONE_RUN, FREED_WHILE_READ),
        shuffle("LEASES_READ_FIRST", ONE_RUN, FREED_WHILE_READ),
        shuffle("HIDDEN_NOT_COMPARED", TWO_RUNS_RECLAIMED, FREED_WHILE_READ),
        shuffle("NO_VERSION", TWO_RUNS, FREED_WHILE_READ),
        shuffle("STATE_BEFORE_FIELDS", TWO_RUNS_RECLAIMED, FREED_WHILE_READ),
        shuffle("NO_SECOND_LOOK", TWO_RUNS, FREED_WHILE_READ),
        shuffle("CACHED_FOR_EVER", TWO_RUNS_READ_TWICE, FREED_WHILE_READ),
        shuffle("CHAIN_CUT", TWO_RUNS_RECLAIMED, LOST),
        shuffle("COMMITS_AFTER_END", TWO_RUNS_DEATH, NOT_FREED),
        shuffle("STARTS_AFTER_END", TWO_RUNS_DEATH, NOT_FREED),
        shuffle("ENDS_LATER_RUNS", TWO_RUNS_RECLAIMED, LOST),
        shuffle("RELEASE_AFTER_FREE", TWO_RUNS_RECLAIMED, FREED_WHILE_READ),
        shuffle("DEAD_ARE_LEASED", DEATH, NOT_FREED),
        shuffle("REAPER_IGNORES_LEASES", DEAD_OWNER, FREED_WHILE_READ),
        shuffle("LISTED_AFTER_LEASES", TWO_REAPERS, FREED_BY_REAPER),
        shuffle("REAPER_IS_DONE", TWO_REAPERS, NOT_FREED),
        shuffle("NEW_PE_NOT_TOLD", LATE_STARTS, NOT_FREED),
        cudaHeap("MAPPED_UNCHECKED", RECREATED, STALE_MEMORY_READ),
        cudaHeap("DETACHED_UNCHECKED", RECREATED, UNMAPPED_WHILE_READ),
        cudaHeap("NEVER_DETACHED", RECREATED, STILL_MAPPED),
        cudaHeap("PROXY_IGNORES_NUMBER", OWNER_DOES_NOT_ANSWER, STALE_MEMORY_READ),
        cudaHeap("NUMBERS_REUSED", RECREATED, STALE_MEMORY_READ),
        cudaHeap("FREE_WHILE_RELEASED", RECREATED, UNMAPPED_WHILE_WRITTEN),
        cudaHeap("PUBLISHED_TOO_EARLY", RECREATED, STALE_MEMORY_READ),
        cudaHeap("ABORTS_UNSETTLED", RECREATED, UNMAPPED_WHILE_WRITTEN),
        cudaHeap("LEASE_ENDS_EARLY", RECREATED, UNMAPPED_WHILE_READ),
        cudaHeap("LATE_LEASE_ENDS", LATE_GPU, UNMAPPED_WHILE_READ),
        cudaHeap("LEASE_AFTER_LOOKUP", RECREATED, UNMAPPED_WHILE_READ),
        cudaHeap("FEED_NOT_FENCED", OTHER_THREAD, UNMAPPED_WHILE_READ),
        cudaHeap("ASKS_THE_OWNER_ONLY", LEAVES_WHILE_ONE_JOINS, NOT_FOUND),
        cudaHeap("ONE_LOOK", WRITES_AND_LEAVES, NOT_HANDED_OVER),
        cudaHeap("LOOKS_COUNTED_ALWAYS", WRITES_AND_LEAVES, NOT_HANDED_OVER),
        cudaHeap("LEAVES_UNLOCKED", LEAVES_WHILE_ONE_JOINS, NOT_HANDED_OVER),
        cudaHeap("CLOSES_FIRST", WRITES_AND_LEAVES, NOT_HANDED_OVER),
        cudaHeap("DROPS_AT_FIRST_LOOK", FOLDER_REMOVED, UNMAPPED_WHILE_READ),
        cudaHeap("DROPS_AT_THE_END", FOLDER_REMOVED, UNMAPPED_WHILE_READ),
        cudaHeap("DROPS_KEPT", LEAVES_WITHOUT_DRIVER, UNMAPPED_WHILE_READ),
        cudaHeap("NEVER_DROPPED", KILLED, STILL_MAPPED),
        cudaHeap("REAPER_IGNORES_LEASES", KILLED, UNMAPPED_WHILE_READ));
  }

  @ParameterizedTest
  @ValueSource(strings = {SHUFFLE, CUDA_HEAP})
  void everyMutantOfTheModelIsTested(String model) throws IOException {
    Set<String> named = new TreeSet<>();
    Matcher names = MUTANT.matcher(Files.readString(MODELS.resolve(model)));
    while (names.find()) {
      named.add(names.group(1));
    }
    Set<String> tested = new TreeSet<>();
    mutants()
        .filter(mutant -> mutant.scenario().model().equals(model))
        .forEach(mutant -> tested.add(mutant.name()));
    assertEquals(named, tested);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void modelHasNoBadState(Scenario scenario) throws IOException {
    String output = search(scenario.model(), scenario.options(), "-O1", "-DCOLLAPSE");
    assertTrue(output.contains("errors: 0"), output);
    assertTrue(!output.contains("Search not completed"), output);
    Matcher states = STATES.matcher(output);
    assertTrue(states.find(), output);
    // Another version may merge other steps into one state.
    if (output.contains("Spin Version 6.5.2")) {
      String row =
          String.format(
              Locale.ROOT, "| `%s` | %,d |", scenario.options(), Integer.valueOf(states.group(1)));
      assertTrue(
          Files.readString(MODELS.resolve("README.md")).contains(row), () -> "no row with " + row);
    }
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("largeScenarios")
  void largeModelHasNoBadState(Scenario scenario) throws IOException {
    modelHasNoBadState(scenario);
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void searchFindsTheMistakeOf(Mutant mutant) {
    Scenario scenario = mutant.scenario();
    // The search ends early, so a fast program is not worth the time to compile it.
    String output = search(scenario.model(), scenario.options() + " -D" + mutant.name(), "-O0");
    assertTrue(output.contains("errors: 1"), output);
    assertTrue(output.contains("assertion violated"), output);
    assertTrue(output.contains(mutant.consequence()), output);
  }

  /** Searches a model; returns what SPIN reports. */
  private String search(String model, String definitions, String... compilerOptions) {
    assumeTrue(isInstalled("spin", "-V"), "spin is not installed: apt-get install spin");
    assumeTrue(isInstalled("gcc", "--version"), "gcc is not installed: apt-get install gcc");
    List<String> generate = new ArrayList<>(List.of("spin", "-a"));
    generate.addAll(Arrays.asList(definitions.split(" ", -1)));
    generate.add(MODELS.resolve(model).toAbsolutePath().normalize().toString());
    passed(generate);
    List<String> compile =
        new ArrayList<>(List.of("gcc", "-DSAFETY", "-DMEMLIM=2000", "-o", "pan", "pan.c"));
    compile.addAll(Arrays.asList(compilerOptions));
    passed(compile);
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
    return ChildProcess.of(List.of(command)).tryRun(LIMIT).passed();
  }
}
