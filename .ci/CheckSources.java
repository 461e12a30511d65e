// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.StringWrapper;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Checks every source file of the tree without compiling it: Java format, licence header, a comment
 * on whatever is public or protected, and the rules on what may be named where (see {@link
 * #RULES}). The build runs it on JDK 25, since the formatter reads Java with the compiler of the
 * JVM that it runs on.
 *
 * <p>Arguments: {@code check} or {@code apply}, then the root of the tree. {@code apply} rewrites
 * formats and headers; broken rules are for people to mend. Exit status 1: something was found.
 */
class CheckSources {
  static final String HOW_TO_MEND = "To mend format and headers: mvn -N -Pformat verify";

  static final List<String> HEADER =
      List.of("Copyright 2026 SymShuffle developers", "SPDX-License-Identifier: Apache-2.0");

  /** Folders that hold no source of ours, wherever they lie. */
  static final Set<String> SKIPPED =
      Set.of("target", "work", "spark-warehouse", "metastore_db", "node_modules");

  /** Packages of the native module, lowest first: each may import those before it, never back. */
  static final List<String> NATIVE_LAYERS =
      List.of("ffi", "cuda", "nvml", "nccl", "nvshmem", "heap", "kernel");

  /**
   * A text that may stand in some files only.
   *
   * @param text what is looked for, in Java code without its comments, elsewhere in whole lines
   * @param where the files that are searched
   * @param except the files that may have it
   * @param reason what to tell whoever put it elsewhere
   */
  record Rule(Pattern text, Pattern where, Pattern except, String reason) {
    Rule(String text, String where, String except, String reason) {
      this(Pattern.compile(text), Pattern.compile(where), Pattern.compile(except), reason);
    }
  }

  static final List<Rule> RULES =
      List.of(
          new Rule(
              "\\b(java\\.lang\\.foreign\\.)?(Linker|SymbolLookup)\\b",
              "\\.java$",
              "/io/symshuffle/ffi/",
              "the linker and symbol lookups stay in io.symshuffle.ffi"),
          new Rule(
              "@SuppressWarnings\\([^)]*\"restricted\"",
              "\\.java$",
              "/io/symshuffle/ffi/",
              "restricted methods stay in io.symshuffle.ffi"),
          new Rule(
              "\"cu(?!DF\")[A-Z]\\w*\"",
              "\\.java$",
              "/io/symshuffle/cuda/",
              "symbols of the CUDA driver are named in io.symshuffle.cuda only"),
          new Rule(
              "\"nvshmem[a-z]*_\\w+\"",
              "\\.java$",
              "/io/symshuffle/nvshmem/",
              "symbols of NVSHMEM are named in io.symshuffle.nvshmem only"),
          new Rule(
              "\\borg\\.apache\\.spark\\b",
              "^native/.*\\.java$",
              "^$",
              "the native module knows no Spark"),
          new Rule(
              "\\borg\\.apache\\.spark\\b",
              "/io/symshuffle/shuffle/(layout|directory)/.*\\.java$",
              "^$",
              "block layouts and the directory are pure data and know no Spark"),
          new Rule(
              "\\brepo1?\\.maven\\.|\\bpypi\\.org|pythonhosted\\.|\\b(docker|ghcr|nvcr|quay|gcr)\\.io\\b"
                  + "|\\bnpmjs\\.|\\banaconda\\.(org|com)|/artifactory/|\\bsonatype\\.(org|com)",
              "",
              "^$",
              "no file names the host of a package registry"));

  private final boolean apply;
  private final Path root;
  private final Queue<String> findings = new ConcurrentLinkedQueue<>();
  private final Queue<String> mended = new ConcurrentLinkedQueue<>();
  private volatile boolean mendable;

  CheckSources(boolean apply, Path root) {
    this.apply = apply;
    this.root = root;
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 2 || !Set.of("check", "apply").contains(args[0])) {
      throw new IllegalArgumentException("arguments: check|apply, root of the tree");
    }
    CheckSources run = new CheckSources(args[0].equals("apply"), Path.of(args[1]).toRealPath());
    List<Path> files = run.list();
    files.parallelStream().forEach(run::visit);
    run.findUncommented(
        files.stream()
            .filter(file -> file.toString().matches(".*/src/main/java/.*\\.java"))
            .toList());
    run.mended.stream().sorted().forEach(line -> System.out.println("mended: " + line));
    run.findings.stream().sorted().forEach(System.out::println);
    if (run.mendable) {
      System.out.println(HOW_TO_MEND);
    }
    if (!run.findings.isEmpty()) {
      System.exit(1);
    }
    System.out.println(files.size() + " source files checked");
  }

  /**
   * Every regular file of the tree outside hidden and skipped folders; {@code .ci} counts as
   * visible.
   */
  private List<Path> list() throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            String name = dir.getFileName().toString();
            boolean skip =
                !dir.equals(root)
                    && (SKIPPED.contains(name) || name.startsWith(".") && !name.equals(".ci"));
            return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && attributes.size() < 1 << 20) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }

  private void visit(Path file) {
    String path = path(file);
    try {
      String text = Files.readString(file);
      String wanted = withHeader(path, text);
      if (!wanted.equals(text) && !apply) {
        findings.add(path + ": the licence header is missing");
        mendable = true;
      }
      if (path.endsWith(".java")) {
        String formatted = formatted(wanted);
        if (!formatted.equals(wanted) && !apply) {
          findings.add(path + ":" + firstChange(wanted, formatted) + ": is not formatted");
          mendable = true;
        }
        wanted = formatted;
      }
      if (apply && !wanted.equals(text)) {
        Files.writeString(file, wanted);
        mended.add(path);
      }
      if (!path.equals(".ci/CheckSources.java")) {
        search(path, path.endsWith(".java") ? withoutComments(text) : text);
      }
    } catch (CharacterCodingException e) {
      if (path.endsWith(".java")) {
        findings.add(path + ": is not UTF-8");
      }
    } catch (FormatterException e) {
      findings.add(path + ": the formatter cannot read it: " + e.getMessage());
    } catch (IOException e) {
      findings.add(path + ": " + e);
    }
  }

  private String path(Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }

  private static String formatted(String text) throws FormatterException {
    Formatter formatter = new Formatter();
    return StringWrapper.wrap(formatter.formatSourceAndFixImports(text), formatter);
  }

  /** The number of the first line that differs, counted from 1. */
  private static int firstChange(String before, String after) {
    List<String> old = before.lines().toList();
    List<String> wanted = after.lines().toList();
    int line = 0;
    while (line < Math.min(old.size(), wanted.size()) && old.get(line).equals(wanted.get(line))) {
      line++;
    }
    return line + 1;
  }

  private static Optional<String> commentMark(String path, String text) {
    if (path.matches(".*\\.(java|cu|cuh|h|cpp|c)")) {
      return Optional.of("// ");
    }
    return path.endsWith(".sh") || text.startsWith("#!") ? Optional.of("# ") : Optional.empty();
  }

  private static String withHeader(String path, String text) {
    Optional<String> mark = commentMark(path, text);
    if (mark.isEmpty()) {
      return text;
    }
    int start = text.startsWith("#!") ? text.indexOf('\n') + 1 : 0;
    String header =
        HEADER.stream().map(line -> mark.get() + line + "\n").reduce("", String::concat);
    if (text.startsWith(header, start)) {
      return text;
    }
    String gap = mark.get().equals("# ") ? "" : "\n";
    return text.substring(0, start) + header + gap + text.substring(start);
  }

  /**
   * Whatever other packages can see has a comment; constructors may leave it to their class, and
   * overriding methods to what they override.
   */
  private void findUncommented(List<Path> files) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                null,
                null,
                problem -> {},
                List.of("-proc:none"),
                null,
                compiler
                    .getStandardFileManager(null, null, null)
                    .getJavaFileObjectsFromPaths(files));
    DocTrees docs = DocTrees.instance(task);
    for (CompilationUnitTree unit : task.parse()) {
      String path = path(Path.of(unit.getSourceFile().toUri()));
      new TreePathScanner<Void, Void>() {
        @Override
        public Void visitClass(ClassTree type, Void nothing) {
          if (isOpen(type.getModifiers())) {
            require(type.getSimpleName().toString());
            super.visitClass(type, nothing);
          }
          return null;
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
          boolean overrides =
              method.getModifiers().getAnnotations().stream()
                  .anyMatch(a -> a.getAnnotationType().toString().equals("Override"));
          ClassTree type = (ClassTree) getCurrentPath().getParentPath().getLeaf();
          boolean open =
              isOpen(method.getModifiers())
                  || type.getKind() == Tree.Kind.INTERFACE
                      && !method.getModifiers().getFlags().contains(Modifier.PRIVATE);
          if (open && !overrides && method.getReturnType() != null) {
            require(method.getName() + "()");
          }
          return null;
        }

        @Override
        public Void visitVariable(VariableTree field, Void nothing) {
          if (isOpen(field.getModifiers())) {
            require(field.getName().toString());
          }
          return null;
        }

        private boolean isOpen(ModifiersTree modifiers) {
          return modifiers.getFlags().contains(Modifier.PUBLIC)
              || modifiers.getFlags().contains(Modifier.PROTECTED);
        }

        private void require(String name) {
          if (docs.getDocComment(getCurrentPath()) == null) {
            long start =
                docs.getSourcePositions().getStartPosition(unit, getCurrentPath().getLeaf());
            findings.add(
                path + ":" + unit.getLineMap().getLineNumber(start) + ": " + name + ": no comment");
          }
        }
      }.scan(unit, null);
    }
  }

  private void search(String path, String text) {
    for (Rule rule : RULES) {
      if (rule.where().matcher(path).find() && !rule.except().matcher(path).find()) {
        rule.text()
            .matcher(text)
            .results()
            .forEach(hit -> findings.add(at(path, text, hit) + rule.reason()));
      }
    }
    Matcher layer = Pattern.compile("^native/src/main/java/io/symshuffle/(\\w+)/").matcher(path);
    if (layer.find() && NATIVE_LAYERS.contains(layer.group(1))) {
      int mine = NATIVE_LAYERS.indexOf(layer.group(1));
      Pattern.compile("^import (?:static )?io\\.symshuffle\\.(\\w+)\\.", Pattern.MULTILINE)
          .matcher(text)
          .results()
          .filter(hit -> NATIVE_LAYERS.indexOf(hit.group(1)) > mine)
          .forEach(
              hit -> findings.add(at(path, text, hit) + "packages of native depend downwards"));
    }
  }

  private static String at(String path, String text, MatchResult hit) {
    long line = text.substring(0, hit.start()).lines().count();
    long number = text.substring(0, hit.start()).endsWith("\n") ? line + 1 : Math.max(line, 1);
    return path + ":" + number + ": " + hit.group().strip() + ": ";
  }

  /** The same number of lines, with comments blanked and literals as they were. */
  private static String withoutComments(String java) {
    return Pattern.compile(
            "(?s)(\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])+')"
                + "|//[^\\n]*|/\\*.*?\\*/")
        .matcher(java)
        .replaceAll(
            hit ->
                Matcher.quoteReplacement(
                    hit.group(1) != null ? hit.group() : hit.group().replaceAll("[^\\n]", "")));
  }
}
