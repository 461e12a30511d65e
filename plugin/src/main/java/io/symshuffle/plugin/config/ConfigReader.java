// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import io.symshuffle.heap.host.HeapAccess;
import io.symshuffle.shuffle.runtime.PartWrapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;

/** Reads {@link SymShuffleConfig} from an application's settings, or reports all problems. */
public final class ConfigReader {
  // Not the full prefix, because a key with the wrong case or dots is a mistake, too.
  private static final String OURS = "spark.symshuffle";

  private final Map<String, String> conf;
  private final List<String> problems = new ArrayList<>();

  private ConfigReader(Map<String, String> conf) {
    this.conf = new TreeMap<>(conf);
  }

  /**
   * Reads the settings of an application.
   *
   * @param conf the application's settings; others are ignored
   * @throws SymShuffleConfigException if values are not allowed or keys are unknown; names each
   */
  public static SymShuffleConfig read(SparkConf conf) {
    return read(textOf(conf));
  }

  /**
   * Reads the settings of an application.
   *
   * @param conf keys and values; others are ignored
   * @throws SymShuffleConfigException if values are not allowed or keys are unknown; names each
   */
  public static SymShuffleConfig read(Map<String, String> conf) {
    ConfigReader reader = new ConfigReader(conf);
    SymShuffleConfig config = reader.config();
    reader.refuseUnknownKeys();
    if (!reader.problems.isEmpty()) {
      throw new SymShuffleConfigException(reader.problems);
    }
    return config;
  }

  /**
   * Returns whether the application enables SymShuffle. Reads no other setting, so that it can be
   * disabled when others are wrong.
   *
   * @return the value of {@link Settings#ENABLED}
   * @throws SymShuffleConfigException if the value is not allowed
   */
  public static boolean isEnabled(SparkConf conf) {
    ConfigReader reader = new ConfigReader(textOf(conf));
    boolean enabled = reader.get(Settings.ENABLED);
    if (!reader.problems.isEmpty()) {
      throw new SymShuffleConfigException(reader.problems);
    }
    return enabled;
  }

  /** Returns a setting's value; the default if it is not set or not allowed. */
  public static <T> T valueOf(Map<String, String> settings, Setting<T> setting) {
    return new ConfigReader(settings).get(setting);
  }

  static Map<String, String> textOf(SparkConf conf) {
    return Stream.of(conf.getAll())
        .collect(Collectors.toMap(entry -> entry._1(), entry -> entry._2()));
  }

  private SymShuffleConfig config() {
    DeviceConfig device = device();
    return new SymShuffleConfig(
        get(Settings.ENABLED),
        get(Settings.REQUIRED),
        get(Settings.HEAP_DIR),
        get(Settings.HEAP_SIZE),
        get(Settings.HEAP_RETAINED),
        HeapAccess.valueOf(get(Settings.HEAP_ACCESS).toUpperCase(Locale.ROOT)),
        get(Settings.HEAP_FILES),
        get(Settings.STAGING_SIZE),
        get(Settings.DISK_DIR),
        get(Settings.CHECKSUM_ENABLED),
        get(Settings.READ_PEER_MAPPING),
        get(Settings.READ_PEER_MEMORY),
        get(Settings.TRANSFER_COMPRESSION),
        get(Settings.TRANSFER_PINNED),
        get(Settings.JOIN_TIMEOUT),
        device,
        get(Settings.RAPIDS_MODE),
        get(Settings.SMALL_STAGES_FIRST));
  }

  private DeviceConfig device() {
    DeviceConfig device =
        new DeviceConfig(
            get(Settings.DEVICE_ENABLED),
            get(Settings.DEVICE_BACKEND),
            get(Settings.DEVICE_PEER_ACCESS),
            get(Settings.DEVICE_CHUNK_SIZE),
            get(Settings.DEVICE_REQUIRED),
            get(Settings.DEVICE_PES),
            get(Settings.DEVICE_HEAP_SIZE),
            get(Settings.DEVICE_TIMEOUT),
            get(Settings.DEVICE_NVSHMEM_HOME),
            get(Settings.DEVICE_INTERFACE));
    if (device.required() && !device.isOn()) {
      problems.add(
          "%s is true, but %s is false: change one of them."
              .formatted(Settings.DEVICE_REQUIRED.key(), Settings.DEVICE_ENABLED.key()));
    }
    if (!device.peerAccess() && device.backend().equals("nvshmem")) {
      problems.add(
          "%s is nvshmem, which needs GPUs that read each other's memory, but %s is false: change one of them."
              .formatted(Settings.DEVICE_BACKEND.key(), Settings.DEVICE_PEER_ACCESS.key()));
    }
    return device;
  }

  // Continues with the default after a wrong value, to report all problems together.
  private <T> T get(Setting<T> setting) {
    String text = conf.get(setting.key());
    if (text == null) {
      return setting.defaultValue();
    }
    try {
      return setting.type().parse(text.trim());
    } catch (IllegalArgumentException e) {
      problems.add(
          "%s is '%s', but must be %s (default: %s)."
              .formatted(setting.key(), text, setting.type().allowed(), setting.defaultText()));
      return setting.defaultValue();
    }
  }

  private void refuseUnknownKeys() {
    List<String> known = Settings.keys();
    conf.forEach(
        (key, value) -> {
          // The setting for fault injection in tests is not in the table of settings.
          if (key.toLowerCase(Locale.ROOT).startsWith(OURS)
              && !known.contains(key)
              && !Settings.isInternal(key)
              && !key.equals(PartWrapper.KEY)) {
            problems.add(
                "%s (set to '%s') is not a setting of SymShuffle. Did you mean %s?"
                    .formatted(key, value, NearestKey.of(key, known)));
          }
        });
  }
}
