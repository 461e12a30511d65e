// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nvcc made of the sources, if this build had nvcc. */
class KernelFatbinTest {
  private static final List<String> ENTRIES =
      List.of(
          "symshuffle_barrier",
          "symshuffle_broadcast",
          "symshuffle_crc32c",
          "symshuffle_multimem_barrier",
          "symshuffle_multimem_broadcast",
          "symshuffle_multimem_reduce",
          "symshuffle_pull",
          "symshuffle_pull_tma",
          "symshuffle_push",
          "symshuffle_reduce",
          "symshuffle_row_count",
          "symshuffle_row_count_entries",
          "symshuffle_row_count_parts",
          "symshuffle_row_crc32c",
          "symshuffle_row_move",
          "symshuffle_row_parse",
          "symshuffle_row_place_entries",
          "symshuffle_row_place_parts",
          "symshuffle_row_scatter",
          "symshuffle_signal",
          "symshuffle_wait");

  @TempDir Path folder;

  @Test
  void thePropertiesSayWhatThereIs() throws IOException {
    Properties properties = properties();
    String fatbin = properties.getProperty("fatbin");
    assertTrue(List.of("present", "absent").contains(fatbin), fatbin);
    for (String name :
        List.of("symshuffle.fatbin", "device_pull.fatbin", "device_pull_queue_pairs.fatbin")) {
      if (fatbin.equals("present")) {
        assertNotNull(KernelLayout.class.getResource(name), name);
      } else {
        assertNull(KernelLayout.class.getResource(name), name);
        assertFalse(properties.getProperty("reason").isEmpty());
      }
    }
  }

  @Test
  void thePtxHasEveryKernelAndTheInstructionsItIsMadeFor() throws IOException {
    Map<String, String> kernels = ptx("symshuffle.fatbin");
    assertEquals(ENTRIES, kernels.keySet().stream().sorted().toList());
    has(kernels, "symshuffle_pull", "ld\\.global\\.L1::no_allocate\\.v4\\.u32");
    has(kernels, "symshuffle_pull", "st\\.global\\.v4\\.u32");
    has(kernels, "symshuffle_push", "st\\.global\\.v4\\.u32");
    has(kernels, "symshuffle_pull_tma", "cp\\.async\\.bulk\\.shared::cluster\\.global");
    has(kernels, "symshuffle_pull_tma", "cp\\.async\\.bulk\\.global\\.shared::cta");
    has(kernels, "symshuffle_signal", "st\\.release\\.sys\\.global\\.u64");
    has(kernels, "symshuffle_wait", "ld\\.acquire\\.sys\\.global\\.u64");
    has(kernels, "symshuffle_barrier", "globaltimer");
    has(kernels, "symshuffle_row_scatter", "match\\.any\\.sync");
    has(kernels, "symshuffle_row_move", "ld\\.global\\.v4\\.u32");
    has(kernels, "symshuffle_row_move", "ld\\.global\\.L1::no_allocate\\.v4\\.u32");
    has(kernels, "symshuffle_row_move", "st\\.global\\.v4\\.u32");
    for (String reduction :
        List.of(
            "add\\.s32",
            "add\\.u64",
            "add\\.f32",
            "add\\.v4\\.f32",
            "add\\.f64",
            "min\\.s32",
            "min\\.s64",
            "max\\.s32",
            "max\\.s64")) {
      has(
          kernels,
          "symshuffle_multimem_reduce",
          "multimem\\.ld_reduce\\.relaxed\\.sys\\.global\\." + reduction);
    }
    has(
        kernels,
        "symshuffle_multimem_broadcast",
        "multimem\\.st\\.relaxed\\.sys\\.global\\.v4\\.f32");
    has(
        kernels,
        "symshuffle_multimem_barrier",
        "multimem\\.red\\.release\\.sys\\.global\\.add\\.u64");
    kernels.forEach(
        (name, text) ->
            assertFalse(
                Pattern.compile("\\b(trap|exit|brkpt)\\s*;").matcher(text).find(),
                name + " ends the context or a thread"));
  }

  @Test
  void theObjectsForTheRunTimeLinkerAskForOneSymbolOfNvshmem() throws IOException {
    String name = "_Z21nvshmemi_transfer_rmaIL13threadgroup_t3EL13nvshmemi_op_t4EEvPvS2_mi";
    assertEquals(List.of(name), externals("device_pull.fatbin"));
    assertEquals(List.of(name + "i"), externals("device_pull_queue_pairs.fatbin"));
  }

  @Test
  void theMachineCodeHasTheInstructionsItIsMadeFor() throws IOException, InterruptedException {
    assumePresent();
    assumeTrue(
        HostTests.isInstalled("cuobjdump") && HostTests.isInstalled("nvdisasm"),
        "cuobjdump and nvdisasm are not on the PATH: the machine code is not looked at");
    assumeTrue(
        Arrays.asList(properties().getProperty("architectures").split(" ", -1)).contains("90"),
        "this build has no machine code for sm_90");
    Map<String, String> kernels = machineCode();
    has(kernels, "symshuffle_pull", "LDG\\.E\\.NA\\.128");
    has(kernels, "symshuffle_pull", "STG\\.E\\.128");
    has(kernels, "symshuffle_push", "LDG\\.E\\.NA\\.128");
    has(kernels, "symshuffle_push", "STG\\.E\\.128");
    has(kernels, "symshuffle_crc32c", "LDG\\.E\\.NA\\.128");
    has(kernels, "symshuffle_row_scatter", "MATCH\\.ANY");
    has(kernels, "symshuffle_row_move", "LDG\\.E\\.NA\\.128");
    has(kernels, "symshuffle_row_move", "STG\\.E\\.128");
    has(kernels, "symshuffle_pull_tma", "UBLKCP\\.S\\.G");
    has(kernels, "symshuffle_pull_tma", "UBLKCP\\.G\\.S");
    has(kernels, "symshuffle_pull_tma", "SYNCS\\.PHASECHK\\S*TRYWAIT");
    for (String reduction :
        List.of("ADD\\.S32", "ADD\\.64", "ADD\\.F32x4", "ADD\\.F64", "MIN\\.S64", "MAX\\.S32")) {
      has(kernels, "symshuffle_multimem_reduce", "LDGMC\\.E\\." + reduction + "\\S*STRONG\\.SYS");
    }
    has(kernels, "symshuffle_multimem_broadcast", "STG\\.E\\.128\\.STRONG\\.SYS");
    has(kernels, "symshuffle_multimem_barrier", "REDG\\.E\\.ADD\\.64\\.STRONG\\.SYS");
    for (String copy :
        List.of(
            "symshuffle_pull",
            "symshuffle_push",
            "symshuffle_row_parse",
            "symshuffle_row_scatter",
            "symshuffle_row_move")) {
      assertFalse(
          Pattern.compile("\\b(LDL|STL)\\b").matcher(kernels.get(copy)).find(),
          copy + " keeps registers in local memory");
    }
  }

  private static void has(Map<String, String> kernels, String kernel, String instruction) {
    assertTrue(
        Pattern.compile(instruction).matcher(kernels.getOrDefault(kernel, "")).find(),
        () -> kernel + " has no " + instruction);
  }

  /** The text of each kernel in the only PTX of a fatbin, by its name. */
  private static Map<String, String> ptx(String resource) throws IOException {
    return split(ptxText(resource), "\\.entry (\\w+)\\(");
  }

  private static List<String> externals(String resource) throws IOException {
    return Pattern.compile("\\.extern \\.func\\s+(\\w+)")
        .matcher(ptxText(resource))
        .results()
        .map(hit -> hit.group(1))
        .distinct()
        .toList();
  }

  private static String ptxText(String resource) throws IOException {
    assumePresent();
    String text = new String(bytes(resource), StandardCharsets.ISO_8859_1);
    int start = text.indexOf("\n.version ");
    assertTrue(start >= 0, () -> resource + " has no legible PTX");
    return text.substring(start, text.indexOf('\0', start));
  }

  private Map<String, String> machineCode() throws IOException, InterruptedException {
    Path fatbin = folder.resolve("symshuffle.fatbin");
    Files.write(fatbin, bytes("symshuffle.fatbin"));
    ChildProcess.Result result =
        HostTests.run(120, "", List.of("cuobjdump", "-sass", "-arch", "sm_90", fatbin.toString()));
    assertEquals(0, result.status(), result.output());
    return split(result.output(), "Function : (\\w+)");
  }

  /** What follows each match of a heading, up to the next one, by the heading's group. */
  private static Map<String, String> split(String text, String heading) {
    return Pattern.compile(heading + "(?s)(.*?)(?=" + heading.replace("(\\w+)", "\\w+") + "|\\z)")
        .matcher(text)
        .results()
        .collect(Collectors.toMap(hit -> hit.group(1), hit -> hit.group(2)));
  }

  private static void assumePresent() throws IOException {
    Properties properties = properties();
    assumeTrue(
        properties.getProperty("fatbin").equals("present"),
        "this build has no kernels: " + properties.getProperty("reason"));
  }

  private static Properties properties() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = KernelLayout.class.getResourceAsStream("kernels.properties")) {
      properties.load(in);
    }
    return properties;
  }

  private static byte[] bytes(String resource) throws IOException {
    try (InputStream in = KernelLayout.class.getResourceAsStream(resource)) {
      return in.readAllBytes();
    }
  }
}
