// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/**
 * The settings that a text for users mentions.
 *
 * @param name the text's name
 * @param text its content
 */
record PublishedSettings(String name, String text) {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /**
   * A setting with or without a value; {@code .*} and a placeholder of the user are not values, and
   * calls of methods, in programs that name their session {@code spark}, are no settings.
   */
  private static final Pattern MENTION =
      Pattern.compile(
          "(?<![/.\\w])(spark\\.[a-z][A-Za-z0-9]*+(?:\\.[A-Za-z][A-Za-z0-9-]*+)++(?!\\()"
              + "|spark\\.(?:authenticate|plugins|jars))(\\.\\*|\\*|=[^\\s`'\"|,;)]+)?");

  private static final Pattern CONF_LINE =
      Pattern.compile("(?m)^(?:# )?(spark\\.[A-Za-z0-9.-]+)[ =]+(\\S+)\\s*$");

  /**
   * A setting in a text.
   *
   * @param key its name
   * @param value its value, if there is one
   * @param pattern whether the text means all settings that begin with the key
   * @param paragraph the text around it
   */
  record Mention(String key, Optional<String> value, boolean pattern, String paragraph) {}

  /** Returns the files in conf. */
  static List<PublishedSettings> conf() throws IOException {
    return files("conf", ".conf");
  }

  /** Returns the settings of the application for the Spark operator, as a file in conf has them. */
  static PublishedSettings application() throws IOException {
    Path file = ROOT.resolve("conf/kubernetes/spark-application.yaml");
    Map<String, Object> spec = map(map(yaml(file).getFirst()).get("spec"));
    TreeMap<String, Object> settings = new TreeMap<>(map(spec.get("sparkConf")));
    Map<String, Object> executor = map(spec.get("executor"));
    for (String key : List.of("instances", "cores", "memory", "memoryOverhead")) {
      settings.put("spark.executor." + key, executor.get(key));
    }
    StringBuilder text = new StringBuilder();
    settings.forEach((key, value) -> text.append(key).append(' ').append(value).append('\n'));
    return new PublishedSettings(ROOT.relativize(file).toString(), text.toString());
  }

  /** Returns the documents in a file in conf/kubernetes. */
  static List<Object> kubernetes(String name) throws IOException {
    return yaml(ROOT.resolve("conf/kubernetes").resolve(name));
  }

  private static List<Object> yaml(Path file) throws IOException {
    List<Object> documents = new ArrayList<>();
    new Yaml().loadAll(Files.readString(file)).forEach(documents::add);
    return documents;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Object node) {
    return (Map<String, Object>) node;
  }

  /** Returns a value in a document by its path of names and indexes. */
  static Object at(Object document, Object... path) {
    Object node = document;
    for (Object part : path) {
      node = part instanceof Integer index ? ((List<?>) node).get(index) : map(node).get(part);
    }
    return node;
  }

  /** Returns the pages in docs, and the README. */
  static List<PublishedSettings> docs() throws IOException {
    List<PublishedSettings> docs = new ArrayList<>(files("docs", ".md"));
    docs.add(of(ROOT.resolve("README.md")));
    return docs;
  }

  private static List<PublishedSettings> files(String folder, String ending) throws IOException {
    List<PublishedSettings> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
      for (Path file : files.filter(path -> path.toString().endsWith(ending)).sorted().toList()) {
        found.add(of(file));
      }
    }
    return found;
  }

  private static PublishedSettings of(Path file) throws IOException {
    return new PublishedSettings(ROOT.relativize(file).toString(), Files.readString(file));
  }

  /** Returns all settings in the text, those in comments of a file too. */
  List<Mention> mentions() {
    List<Mention> mentions = new ArrayList<>();
    for (String paragraph : text.split("\n\\s*\n|\n(?=[|*-] )", -1)) {
      Matcher line = CONF_LINE.matcher(paragraph);
      while (!name.endsWith(".md") && line.find()) {
        mentions.add(new Mention(line.group(1), Optional.of(line.group(2)), false, paragraph));
      }
      Matcher match = MENTION.matcher(paragraph);
      while (match.find()) {
        String rest = Optional.ofNullable(match.group(2)).orElse("");
        Optional<String> value =
            Optional.of(rest)
                .filter(text -> text.startsWith("="))
                .map(text -> text.substring(1).replaceAll("[.:]+$", ""))
                .filter(text -> text.matches("[A-Za-z0-9/].*"))
                .filter(text -> !text.matches("[A-Z]+"));
        mentions.add(new Mention(match.group(1), value, rest.endsWith("*"), paragraph));
      }
    }
    return mentions;
  }

  /** Returns the settings that a file sets, without those in comments. */
  TreeMap<String, String> active() {
    TreeMap<String, String> active = new TreeMap<>();
    text.lines()
        .filter(line -> !line.startsWith("#") && !line.isBlank())
        .map(line -> line.split("\\s+", 2))
        .forEach(parts -> active.put(parts[0], parts[1].trim()));
    return active;
  }
}
