// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import static java.util.Objects.requireNonNull;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How the text of a setting becomes a value, within which bounds, and in which words a user learns
 * what is allowed.
 *
 * @param <T> what the rest of the program gets
 */
public sealed interface SettingType<T> {
  /**
   * Reads a value.
   *
   * @param text what the user wrote, without blanks at its ends
   * @return the value
   * @throws IllegalArgumentException if it is none or out of bounds; the caller says what is {@link
   *     #allowed}
   */
  T parse(String text);

  /**
   * Writes a value so that {@link #parse} reads it.
   *
   * @param value a value of this type
   * @return its text
   */
  String format(T value);

  /**
   * What may stand there, as the end of the sentence "allowed is ...".
   *
   * @return a noun phrase, such as "true or false"
   */
  String allowed();

  /** A type whose values are {@code true} and {@code false}, in any case. */
  record Truth() implements SettingType<Boolean> {
    @Override
    public Boolean parse(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "true" -> true;
        case "false" -> false;
        default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
      };
    }

    @Override
    public String format(Boolean value) {
      return value.toString();
    }

    @Override
    public String allowed() {
      return "true or false";
    }
  }

  /**
   * A byte size.
   *
   * @param least the smallest allowed
   * @param most the largest allowed
   */
  record Bytes(ByteSize least, ByteSize most) implements SettingType<ByteSize> {
    /** Checks that there are bounds. */
    public Bytes {
      requireNonNull(least, "least is null");
      requireNonNull(most, "most is null");
    }

    static Bytes between(String least, String most) {
      return new Bytes(ByteSize.parse(least), ByteSize.parse(most));
    }

    @Override
    public ByteSize parse(String text) {
      return inBounds(ByteSize.parse(text), least, most);
    }

    @Override
    public String format(ByteSize value) {
      return value.toString();
    }

    @Override
    public String allowed() {
      return "a byte size from " + least + " to " + most + ", written like 64k, 1m or 2g";
    }
  }

  /**
   * A duration.
   *
   * @param least the shortest allowed
   * @param most the longest allowed
   */
  record Time(Duration least, Duration most) implements SettingType<Duration> {
    /** Checks that there are bounds. */
    public Time {
      requireNonNull(least, "least is null");
      requireNonNull(most, "most is null");
    }

    @Override
    public Duration parse(String text) {
      return inBounds(DurationText.parse(text), least, most);
    }

    @Override
    public String format(Duration value) {
      return DurationText.format(value);
    }

    @Override
    public String allowed() {
      return "a duration from %s to %s, written with its unit like 500ms, 30s or 2min"
          .formatted(format(least), format(most));
    }
  }

  /**
   * A whole number.
   *
   * @param least the smallest allowed
   * @param most the largest allowed
   */
  record Whole(int least, int most) implements SettingType<Integer> {
    @Override
    public Integer parse(String text) {
      return inBounds(Integer.valueOf(text), least, most);
    }

    @Override
    public String format(Integer value) {
      return value.toString();
    }

    @Override
    public String allowed() {
      return "a whole number from " + least + " to " + most;
    }
  }

  /** A part of a GPU's memory; see {@link GpuShare}. */
  record Share() implements SettingType<GpuShare> {
    @Override
    public GpuShare parse(String text) {
      return GpuShare.parse(text);
    }

    @Override
    public String format(GpuShare value) {
      return value.toString();
    }

    @Override
    public String allowed() {
      return "a fraction of the GPU's memory from 0.01 to 0.95, written like 0.3, or a byte size"
          + " from "
          + GpuShare.LEAST
          + " to "
          + GpuShare.MOST
          + ", written like 20g";
    }
  }

  /** The name of a network interface, as Linux limits it. */
  record InterfaceName() implements SettingType<String> {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1,15}");

    @Override
    public String parse(String text) {
      if (!NAME.matcher(text).matches()) {
        throw new IllegalArgumentException("'" + text + "' is no name of a network interface");
      }
      return text;
    }

    @Override
    public String format(String value) {
      return value;
    }

    @Override
    public String allowed() {
      return "the name of a network interface of the executors' hosts, such as eth0";
    }
  }

  /**
   * One of a few words.
   *
   * @param words which ones
   */
  record OneOf(List<String> words) implements SettingType<String> {
    /** Keeps a copy. */
    public OneOf {
      words = List.copyOf(words);
    }

    @Override
    public String parse(String text) {
      if (!words.contains(text)) {
        throw new IllegalArgumentException("'%s' is not %s".formatted(text, allowed()));
      }
      return text;
    }

    @Override
    public String format(String value) {
      return value;
    }

    @Override
    public String allowed() {
      return "one of " + String.join(", ", words);
    }
  }

  /** The absolute path of a folder; whether it exists is the executor's host's business. */
  record Folder() implements SettingType<Path> {
    @Override
    public Path parse(String text) {
      try {
        Path path = Path.of(text);
        if (path.isAbsolute()) {
          return path.normalize();
        }
      } catch (InvalidPathException e) {
        throw new IllegalArgumentException("'" + text + "' is no path", e);
      }
      throw new IllegalArgumentException("'" + text + "' is not absolute");
    }

    @Override
    public String format(Path value) {
      return value.toString();
    }

    @Override
    public String allowed() {
      return "the absolute path of a folder";
    }
  }

  /**
   * A value of another type, or the word {@code auto}, which leaves the choice to us.
   *
   * @param <T> the other type's values
   * @param type the other type
   */
  record OrAuto<T>(SettingType<T> type) implements SettingType<Optional<T>> {
    private static final String AUTO = "auto";

    /** Checks that there is a type. */
    public OrAuto {
      requireNonNull(type, "type is null");
    }

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

  private static <C extends Comparable<C>> C inBounds(C value, C least, C most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(value + " is not from " + least + " to " + most);
    }
    return value;
  }
}
