// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.host.HeapAccess;
import io.symshuffle.shuffle.compress.Codec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigReaderTest {
  @Test
  void executorsPinMemoryOnlyForDeviceHeaps() {
    assertEquals(0, ConfigReader.read(Map.of()).pinnedBytes());
    assertEquals(
        1L << 30, ConfigReader.read(Map.of(Settings.RAPIDS_MODE.key(), "device")).pinnedBytes());
    assertEquals(
        5L << 20,
        ConfigReader.read(
                Map.of(
                    Settings.DEVICE_ENABLED.key(), "true",
                    Settings.TRANSFER_PINNED.key(), "5m"))
            .pinnedBytes());
  }

  @Test
  void readsEverySetting() {
    SparkConf conf =
        new SparkConf(false)
            .set("spark.symshuffle.enabled", "FALSE")
            .set("spark.symshuffle.required", "true")
            .set("spark.symshuffle.heap.dir", "/mnt/huge/../pages")
            .set("spark.symshuffle.heap.size", "4g")
            .set("spark.symshuffle.heap.retained", "0")
            .set("spark.symshuffle.heap.access", "copied")
            .set("spark.symshuffle.heap.files", "3")
            .set("spark.symshuffle.staging.size", " 512k ")
            .set("spark.symshuffle.disk.dir", "/scratch")
            .set("spark.symshuffle.checksum.enabled", "false")
            .set("spark.symshuffle.read.peerMapping", "false")
            .set("spark.symshuffle.read.peerMemory", "1g")
            .set("spark.symshuffle.transfer.compression", "zstd")
            .set("spark.symshuffle.transfer.pinned", "2g")
            .set("spark.symshuffle.join.timeout", "2min")
            .set("spark.symshuffle.device.enabled", "true")
            .set("spark.symshuffle.device.backend", "cuda")
            .set("spark.symshuffle.device.peerAccess", "false")
            .set("spark.symshuffle.device.chunk.size", "1g")
            .set("spark.symshuffle.device.required", "true")
            .set("spark.symshuffle.device.pes", "4")
            .set("spark.symshuffle.device.heap.size", "20g")
            .set("spark.symshuffle.device.timeout", "5s")
            .set("spark.symshuffle.device.nvshmem.home", "/opt/nvshmem")
            .set("spark.symshuffle.device.interface", "eth0")
            .set("spark.symshuffle.rapids.mode", "device")
            .set("spark.symshuffle.scheduler.smallStagesFirst", "false");
    assertEquals(
        new SymShuffleConfig(
            false,
            true,
            Path.of("/mnt/pages"),
            Optional.of(ByteSize.parse("4g")),
            new ByteSize(0),
            HeapAccess.COPIED,
            Optional.of(3),
            ByteSize.parse("512k"),
            Optional.of(Path.of("/scratch")),
            false,
            false,
            Optional.of(ByteSize.parse("1g")),
            "zstd",
            ByteSize.parse("2g"),
            Duration.ofMinutes(2),
            new DeviceConfig(
                Optional.of(true),
                "cuda",
                false,
                ByteSize.parse("1g"),
                true,
                Optional.of(4),
                GpuShare.parse("20g"),
                Duration.ofSeconds(5),
                Optional.of(Path.of("/opt/nvshmem")),
                Optional.of("eth0")),
            "device",
            false),
        ConfigReader.read(conf));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spark.symshuffle.enabled | yes | true or false (default: true)",
        "spark.symshuffle.heap.dir | shm | the absolute path of a folder (default: /dev/shm)",
        "spark.symshuffle.heap.size | much | auto or a byte size from 1m to 16t, written like 64k,"
            + " 1m or 2g (default: auto)",
        "spark.symshuffle.heap.size | 1k | auto or a byte size from 1m to 16t, written like 64k,"
            + " 1m or 2g (default: auto)",
        "spark.symshuffle.staging.size | 2g | a byte size from 64k to 1g, written like 64k, 1m or"
            + " 2g (default: 1m)",
        "spark.symshuffle.disk.dir | file:/tmp | auto or the absolute path of a folder (default:"
            + " auto)",
        "spark.symshuffle.join.timeout | 30 | a duration from 100ms to 10min, written with its"
            + " unit like 500ms, 30s or 2min (default: 30s)",
        "spark.symshuffle.join.timeout | 999999999999999d | a duration from 100ms to 10min, written"
            + " with its unit like 500ms, 30s or 2min (default: 30s)",
        "spark.symshuffle.device.enabled | yes | auto or true or false (default: auto)",
        "spark.symshuffle.device.pes | 0 | auto or an integer from 1 to 1000 (default: auto)",
        "spark.symshuffle.device.heap.size | 30% | a fraction of the GPU's memory from 0.01 to"
            + " 0.95, written like 0.3, or a byte size from 16m to 1t, written like 20g (default:"
            + " 0.3)",
        "spark.symshuffle.device.heap.size | 0.99 | a fraction of the GPU's memory from 0.01 to"
            + " 0.95, written like 0.3, or a byte size from 16m to 1t, written like 20g (default:"
            + " 0.3)",
        "spark.symshuffle.device.interface | =eth0 | auto or the name of a network interface of"
            + " the executors' hosts, such as eth0 (default: auto)"
      })
  void namesAWrongValueAndTheAllowedOnes(String key, String value, String allowed) {
    assertEquals(
        "SymShuffle cannot start: %s is '%s', but must be %s.".formatted(key, value, allowed),
        refused(Map.of(key, value)).getMessage());
  }

  @ParameterizedTest
  @CsvSource({"auto, LZ4", "none, NONE", "lz4, LZ4", "zstd, ZSTD"})
  void namesCodecOfBlocksForOtherHosts(String value, Codec codec) {
    String key = "spark.symshuffle.transfer.compression";
    assertEquals(codec, ConfigReader.read(Map.of(key, value)).compression());
  }

  @Test
  void refusesRequiredDeviceHeapsThatAreDisabled() {
    assertEquals(
        "SymShuffle cannot start: spark.symshuffle.device.required is true, but"
            + " spark.symshuffle.device.enabled is false: change one of them.",
        refused(
                Map.of(
                    "spark.symshuffle.device.required", "true",
                    "spark.symshuffle.device.enabled", "false"))
            .getMessage());
  }

  @Test
  void refusesAKeyInTheWrongCase() {
    assertEquals(
        List.of(
            "spark.symShuffle.enabled (set to 'false') is not a setting of SymShuffle. Did you "
                + "mean spark.symshuffle.enabled?"),
        refused(Map.of("spark.symShuffle.enabled", "false")).problems());
  }

  @Test
  void reportsAllProblemsTogether() {
    SymShuffleConfigException refused =
        refused(
            Map.of(
                "spark.symshuffle.checksum.enabled", "1",
                "spark.symshuffle.staging.size", "1",
                "spark.symshuffle.satging.size", "1m"));
    assertEquals(
        """
        SymShuffle cannot start: 3 settings are wrong:
          spark.symshuffle.staging.size is '1', but must be a byte size from 64k to 1g, written \
        like 64k, 1m or 2g (default: 1m).
          spark.symshuffle.checksum.enabled is '1', but must be true or false (default: true).
          spark.symshuffle.satging.size (set to '1m') is not a setting of SymShuffle. Did you \
        mean spark.symshuffle.staging.size?\
        """,
        refused.getMessage());
  }

  @Test
  void canBeDisabledDespiteOtherWrongSettings() {
    SparkConf conf = new SparkConf(false).set("spark.symshuffle.heap.size", "nonsense");
    assertTrue(ConfigReader.isEnabled(conf));
    assertFalse(ConfigReader.isEnabled(conf.set("spark.symshuffle.enabled", "false")));
  }

  private static SymShuffleConfigException refused(Map<String, String> conf) {
    return assertThrows(SymShuffleConfigException.class, () -> ConfigReader.read(conf));
  }
}
