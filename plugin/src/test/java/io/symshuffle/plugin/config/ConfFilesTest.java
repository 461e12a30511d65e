// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.SymShufflePlugin;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.plugin.device.nvshmem.ExpectedPes;
import io.symshuffle.plugin.rapids.RapidsChoice;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files that users copy. */
class ConfFilesTest {
  private static final Path CONF = Path.of("../conf").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  void acceptsTheStandaloneExample() throws IOException {
    SparkConf conf = conf("spark-defaults-standalone-gpu.conf");
    assertEquals(
        SymShufflePlugin.class.getName() + "," + RapidsChoice.PLUGIN, conf.get("spark.plugins"));
    DeviceConfig device = ConfigReader.read(conf).device();
    assertEquals(4, ExpectedPes.of(conf, device).number().orElseThrow());
    int cores = conf.getInt("spark.executor.cores", 0);
    assertEquals(device.pes().orElseThrow(), conf.getInt("spark.cores.max", 0) / cores);
    assertEquals(1.0, conf.getDouble("spark.task.resource.gpu.amount", 0) * cores);
  }

  @Test
  void discoveryScriptListsUsableGpus() throws Exception {
    String listed = "0, [N/A]\n1, Disabled\n2, Enabled\n11, Disabled\n";
    assertEquals(
        "{\"name\": \"gpu\", \"addresses\": [\"0\", \"1\", \"11\"]}\n", discover(listed, ""));
    assertEquals(
        "{\"name\": \"gpu\", \"addresses\": [\"1\", \"11\"]}\n", discover(listed, "11,1,2"));
    assertEquals("{\"name\": \"gpu\", \"addresses\": []}\n", discover("", ""));
  }

  /** So that neither YARN nor the kernel kills a container, and the heap can grow to its size. */
  @ParameterizedTest
  @ValueSource(strings = {"spark-defaults-yarn.conf", "spark-defaults-kubernetes.conf"})
  void containersHoldTheHeapAndTheJvm(String file) throws IOException {
    SparkConf conf = conf(file);
    long heap = conf.getSizeAsBytes("spark.symshuffle.heap.size");
    long java = conf.getSizeAsBytes("spark.executor.memory");
    long container = java + conf.getSizeAsBytes("spark.executor.memoryOverhead");

    assertTrue(
        container >= heap + MemoryLimits.jvmBytes(java) + ClusterSettings.OTHER_PAGES_BYTES,
        container + " bytes");
  }

  private String discover(String listed, String wanted) throws Exception {
    Path smi = folder.resolve("nvidia-smi");
    Files.writeString(smi, "#!/bin/sh\ncat '" + folder.resolve("listed") + "'\n");
    assertTrue(smi.toFile().setExecutable(true));
    Files.writeString(folder.resolve("listed"), listed);
    ProcessBuilder builder = new ProcessBuilder("sh", CONF.resolve("find-gpus.sh").toString());
    builder.environment().merge("PATH", folder.toString(), (path, mine) -> mine + ":" + path);
    builder.environment().put("SYMSHUFFLE_GPUS", wanted);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(10, TimeUnit.MINUTES));
    assertEquals(0, process.exitValue());
    return output;
  }

  private static SparkConf conf(String file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(CONF.resolve(file))) {
      properties.load(reader);
    }
    SparkConf conf = new SparkConf(false).set("spark.master", "spark://host:7077");
    properties.forEach((key, value) -> conf.set((String) key, ((String) value).trim()));
    return conf;
  }
}
