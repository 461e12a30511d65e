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

/**
 * Disassembles the fatbins next to a class.
 *
 * @param place the class
 */
public record FatbinText(Class<?> place) {

  /** Checks that kernels.properties says whether these fatbins exist. */
  public void assertDescribed(List<String> fatbins) throws IOException {
    Properties properties = properties();
    String fatbin = properties.getProperty("fatbin");
    assertTrue(List.of("present", "absent").contains(fatbin), fatbin);
    for (String name : fatbins) {
      if (fatbin.equals("present")) {
        assertNotNull(place.getResource(name), name);
      } else {
        assertNull(place.getResource(name), name);
        assertFalse(properties.getProperty("reason").isEmpty());
      }
    }
  }

  /** Checks that no kernel ends its context or a thread. */
  public static void assertNoTrap(Map<String, String> kernels) {
    kernels.forEach(
        (name, text) ->
            assertFalse(
                Pattern.compile("\\b(trap|exit|brkpt)\\s*;").matcher(text).find(),
                name + " ends the context or a thread"));
  }

  /** Checks that a kernel uses no local memory. */
  public static void assertNoSpills(Map<String, String> kernels, String kernel) {
    assertFalse(
        Pattern.compile("\\b(LDL|STL)\\b").matcher(kernels.get(kernel)).find(),
        kernel + " uses local memory");
  }

  /** Checks that a kernel has an instruction. */
  public static void has(Map<String, String> kernels, String kernel, String instruction) {
    assertTrue(
        Pattern.compile(instruction).matcher(kernels.getOrDefault(kernel, "")).find(),
        () -> kernel + " has no " + instruction);
  }

  /** Returns the text of each kernel in the only PTX of a fatbin, by its name. */
  public Map<String, String> ptx(String resource) throws IOException {
    return split(ptxText(resource), "\\.entry (\\w+)\\(");
  }

  /** Returns the external functions of a fatbin. */
  public List<String> externals(String resource) throws IOException {
    return Pattern.compile("\\.extern \\.func\\s+(\\w+)")
        .matcher(ptxText(resource))
        .results()
        .map(hit -> hit.group(1))
        .distinct()
        .toList();
  }

  private String ptxText(String resource) throws IOException {
    assumePresent();
    String text = new String(bytes(resource), StandardCharsets.ISO_8859_1);
    int start = text.indexOf("\n.version ");
    assertTrue(start >= 0, () -> resource + " has no legible PTX");
    return text.substring(start, text.indexOf('\0', start));
  }

  /**
   * Returns the sm_90 machine code of each kernel by its name; skips the test if it is unavailable.
   */
  public Map<String, String> machineCode(String resource, Path folder)
      throws IOException, InterruptedException {
    assumePresent();
    assumeTrue(
        HostTests.isInstalled("cuobjdump") && HostTests.isInstalled("nvdisasm"),
        "cuobjdump and nvdisasm are not on the PATH: the machine code is not checked");
    assumeTrue(
        Arrays.asList(properties().getProperty("architectures").split(" ", -1)).contains("90"),
        "this build has no machine code for sm_90");
    Path fatbin = folder.resolve(resource);
    Files.write(fatbin, bytes(resource));
    ChildProcess.Result result =
        HostTests.run(120, "", List.of("cuobjdump", "-sass", "-arch", "sm_90", fatbin.toString()));
    assertEquals(0, result.status(), result.output());
    return split(result.output(), "Function : (\\w+)");
  }

  /** Returns the text between each match of a heading and the next one, by the heading's group. */
  private static Map<String, String> split(String text, String heading) {
    return Pattern.compile(heading + "(?s)(.*?)(?=" + heading.replace("(\\w+)", "\\w+") + "|\\z)")
        .matcher(text)
        .results()
        .collect(Collectors.toMap(hit -> hit.group(1), hit -> hit.group(2)));
  }

  private void assumePresent() throws IOException {
    Properties properties = properties();
    assumeTrue(
        properties.getProperty("fatbin").equals("present"),
        "this build has no kernels: " + properties.getProperty("reason"));
  }

  private Properties properties() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = place.getResourceAsStream("kernels.properties")) {
      properties.load(in);
    }
    return properties;
  }

  private byte[] bytes(String resource) throws IOException {
    try (InputStream in = place.getResourceAsStream(resource)) {
      return in.readAllBytes();
    }
  }
}
