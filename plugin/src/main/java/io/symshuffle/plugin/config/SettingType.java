// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses and formats the values of a setting, and describes the allowed ones. */
public sealed interface SettingType<T> {
  /**
   * Reads a value.
   *
   * @param text what the user wrote, trimmed
   * @throws IllegalArgumentException if it is invalid or out of bounds
   */
  T parse(String text);

  /**
   * Writes a value so that {@link #parse} reads it.
   *
   * @param value a value of this type
   */
  default String format(T value) {
    return value.toString();
  }

  /**
   * Describes the allowed values, as the end of the sentence "must be ...".
   *
   * @return a noun phrase, such as "true or false"
   */
  String allowed();

  /** A type whose values are {@code true} and {@code false}, in any case. */
  record BooleanType() implements SettingType<Boolean> {
    @Override
    public Boolean parse(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "true" -> true;
        case "false" -> false;
        default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
      };
    }

    @Override
    public String allowed() {
      return "true or false";
    }
  }

  /** A byte size. */
  record ByteSizeType(ByteSize min, ByteSize max) implements SettingType<ByteSize> {

    static ByteSizeType between(String min, String max) {
      return new ByteSizeType(ByteSize.parse(min), ByteSize.parse(max));
    }

    @Override
    public ByteSize parse(String text) {
      return inBounds(ByteSize.parse(text), min, max);
    }

    @Override
    public String allowed() {
      return "a byte size from " + min + " to " + max + ", written like 64k, 1m or 2g";
    }
  }

  /** A duration. */
  record DurationType(Duration min, Duration max) implements SettingType<Duration> {

    @Override
    public Duration parse(String text) {
      return inBounds(DurationText.parse(text), min, max);
    }

    @Override
    public String format(Duration value) {
      return DurationText.format(value);
    }

    @Override
    public String allowed() {
      return "a duration from %s to %s, written with its unit like 500ms, 30s or 2min"
          .formatted(format(min), format(max));
    }
  }

  /** An integer. */
  record IntType(int min, int max) implements SettingType<Integer> {
    @Override
    public Integer parse(String text) {
      long value = Count.parse(text).value();
      return Math.toIntExact(inBounds(value, (long) min, (long) max));
    }

    @Override
    public String allowed() {
      return "an integer from " + min + " to " + max;
    }
  }

  /** A share of a GPU's memory; see {@link GpuShare}. */
  record GpuShareType() implements SettingType<GpuShare> {
    @Override
    public GpuShare parse(String text) {
      return GpuShare.parse(text);
    }

    @Override
    public String allowed() {
      return "a fraction of the GPU's memory from 0.01 to 0.95, written like 0.3, or a byte size"
          + " from "
          + GpuShare.MIN
          + " to "
          + GpuShare.MAX
          + ", written like 20g";
    }
  }

  /** The name of a network interface, as Linux limits it. */
  record InterfaceNameType() implements SettingType<String> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1,15}");

    @Override
    public String parse(String text) {
      if (!NAME.matcher(text).matches()) {
        throw new IllegalArgumentException("'" + text + "' is not the name of a network interface");
      }
      return text;
    }

    @Override
    public String allowed() {
      return "the name of a network interface of the executors' hosts, such as eth0";
    }
  }

  /** One of several words. */
  record OneOf(List<String> words) implements SettingType<String> {
    @Override
    public String parse(String text) {
      if (!words.contains(text)) {
        throw new IllegalArgumentException("'%s' is not %s".formatted(text, allowed()));
      }
      return text;
    }

    @Override
    public String allowed() {
      return "one of " + String.join(", ", words);
    }
  }

  /** The absolute path of a folder, which need not exist on this host. */
  record PathType() implements SettingType<Path> {
    @Override
    public Path parse(String text) {
      try {
        Path path = Path.of(text);
        if (path.isAbsolute()) {
          return path.normalize();
        }
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException("'" + text + "' is not a path", e);
      }
      throw new IllegalArgumentException("'" + text + "' is not absolute");
    }

    @Override
    public String allowed() {
      return "the absolute path of a folder";
    }
  }

  /** A value of another type, or {@code auto}, which is empty. */
  record OrAuto<T>(SettingType<T> type) implements SettingType<Optional<T>> {
    private static final String AUTO = "auto";

    @Override
    public Optional<T> parse(String text) {
      return text.toLowerCase(Locale.ROOT).equals(AUTO)
          ? Optional.empty()
          : Optional.of(type.parse(text));
    }

    @Override
    public String format(Optional<T> value) {
      return value.map(type::format).orElse(AUTO);
    }

    @Override
    public String allowed() {
      return AUTO + " or " + type.allowed();
    }
  }

  private static <C extends Comparable<C>> C inBounds(C value, C min, C max) {
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw new IllegalArgumentException(value + " is not between " + min + " and " + max);
    }
    return value;
  }
}
