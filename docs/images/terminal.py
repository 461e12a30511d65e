#!/usr/bin/env python3
# Copyright 2026 SymShuffle developers
# SPDX-License-Identifier: Apache-2.0
"""Shows a recorded command in an animated SVG.

  terminal.py record NAME.cast COMMAND [ARGUMENT...]   runs the command in a terminal and keeps its output, with times
  terminal.py NAME.cast NAME.svg                       draws the picture

A recording has the format of asciinema, version 2: all output, each part with the seconds since the start. In the
picture time runs faster; the title shows the true one. Record on an idle machine. Needs no package.
"""

import fcntl
import html
import json
import os
import pty
import re
import struct
import sys
import termios
import time
from pathlib import Path

COLUMNS, ROWS = 100, 40
VISIBLE = 26
LINE = 17
# The picture's time in seconds: no pause is longer, and the last screen stays.
LONGEST_PAUSE, END = 0.5, 8.0

COLORS = {1: "bold", 2: "dim", 31: "red", 32: "green", 33: "yellow", 34: "blue", 36: "cyan"}

STYLE = """text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:13px;\
fill:#e6edf3;white-space:pre}.bold{font-weight:bold}.dim,.clock{fill:#9198a1}.red{fill:#ff7b72}.green{fill:#56d364}\
.yellow{fill:#e3b341}.blue{fill:#79c0ff}.cyan{fill:#76e3ea}"""


def record(cast, command):
    """Runs the command in a pseudo-terminal, shows its output, and keeps it with its times."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    start = time.monotonic()
    lines = [json.dumps({"version": 2, "width": COLUMNS, "height": ROWS, "command": " ".join(command)})]
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # Linux reports the end of the child so.
            break
        if not data:
            break
        os.write(1, data)
        lines.append(json.dumps([round(time.monotonic() - start, 2), "o", data.decode("utf-8", "replace")],
                                ensure_ascii=False))
    _, status = os.waitpid(child, 0)
    cast.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return os.waitstatus_to_exitcode(status)


class Screen:
    """The lines that a terminal would show, as lists of (character, style), and when each content was there."""

    def __init__(self):
        self.lines = [[]]
        self.row = self.column = 0
        self.style = ""
        self.changed = set()
        self.history = []  # (row, content, from, until)
        self.since = {}

    def feed(self, text):
        for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b.|.", text, re.DOTALL):
            if part.startswith("\x1b["):
                self.control(part[2:-1], part[-1])
            elif part == "\n":
                self.row += 1
                self.column = 0
                if self.row == len(self.lines):
                    self.lines.append([])
            elif part == "\r":
                self.column = 0
            elif part >= " ":
                self.put(part)

    def put(self, character):
        line = self.lines[self.row]
        line.extend([(" ", "")] * (self.column + 1 - len(line)))
        line[self.column] = (character, self.style)
        self.column += 1
        self.changed.add(self.row)

    def control(self, argument, command):
        number = int(argument) if argument.isdigit() else 1
        if command == "m":
            codes = [int(code or 0) for code in argument.split(";")]
            self.style = " ".join(COLORS[code] for code in codes if code in COLORS)
        elif command == "K":
            self.lines[self.row] = [] if argument == "2" else self.lines[self.row][:self.column]
            self.changed.add(self.row)
        elif command == "A":
            self.row = max(0, self.row - number)

    def settle(self, now):
        """Ends the time of contents that have changed."""
        for row in sorted(self.changed):
            content = tuple(self.lines[row])
            old = self.since.get(row)
            if old is None or old[0] != content:
                if old is not None:
                    self.history.append((row, old[0], old[1], now))
                self.since[row] = (content, now)
        self.changed.clear()


def spans(content):
    """The text of a line in SVG, with one tspan for each style."""
    result, style, text = [], None, ""
    for character, own in [*content, ("", None)]:
        if own != style and text:
            escaped = html.escape(text, quote=False)
            result.append(f'<tspan class="{style}">{escaped}</tspan>' if style else escaped)
            text = ""
        style = own
        text += character
    return "".join(result)


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def replay(cast):
    """Returns the screen at the end, and for each change (time in the picture, true time, rows so far)."""
    header, *events = [json.loads(line) for line in cast.read_text(encoding="utf-8").splitlines()]
    screen, changes, now, last = Screen(), [], 0.6, 0.0
    screen.feed(f"$ {header['command']}\n")
    screen.settle(0.0)
    for at, _, text in events:
        now += min(at - last, LONGEST_PAUSE)
        last = at
        screen.feed(text)
        screen.settle(now)
        changes.append((now, at, max(screen.since) + 1))
    return screen, changes


def steps(name, values, total, write):
    """A CSS animation that jumps from value to value: values is a list of (time, value), the first at 0."""
    frames = []
    for i, (at, value) in enumerate(values):
        end = values[i + 1][0] if i + 1 < len(values) else total
        frames.append(f"{100 * at / total:.3f}%,{max(0.0, 100 * end / total - 0.001):.3f}%{{{write(value)}}}")
    return f"@keyframes {name}{{{''.join(frames)}}}"


def draw(cast, file):
    screen, changes = replay(cast)
    ended = changes[-1][0]
    total = ended + END
    contents = screen.history + [(row, content, at, total) for row, (content, at) in screen.since.items()]
    style, body = [STYLE], []
    scroll = [(0.0, 0)]
    for now, _, rows in changes:
        if max(0, rows - VISIBLE) != scroll[-1][1]:
            scroll.append((now, max(0, rows - VISIBLE)))
    for i, (row, content, since, until) in enumerate(sorted(contents, key=lambda c: (c[0], c[2]))):
        if not content or until - since < 0.02:
            continue
        values = [(0.0, 0), (since, 1)] if since > 0 else [(0.0, 1)]
        if until < total:
            values.append((until, 0))
        style.append(steps(f"l{i}", values, total, lambda shown: f"opacity:{shown}"))
        hidden = ";opacity:0" if until < total else ""
        body.append(f'<text x="16" y="{(row + 1) * LINE}" style="animation:l{i} {total:.2f}s infinite{hidden}">'
                    f"{spans(content)}</text>")
    style.append(steps("scroll", scroll, total, lambda rows: f"transform:translateY({-rows * LINE}px)"))
    ticks = [(0.0, 0.0)]
    for now, at, _ in changes:
        if now - ticks[-1][0] >= 0.1 or now == ended:
            ticks.append((now, at))
    clocks = []
    for i, (now, at) in enumerate(ticks):
        end = ticks[i + 1][0] if i + 1 < len(ticks) else total
        values = [(0.0, 0), (now, 1)] if now > 0 else [(0.0, 1)]
        if end < total:
            values.append((end, 0))
        style.append(steps(f"c{i}", values, total, lambda shown: f"opacity:{shown}"))
        hidden = ";opacity:0" if end < total else ""
        clocks.append(f'<text class="clock" x="{COLUMNS * 8 + 16}" y="22" text-anchor="end" '
                      f'style="animation:c{i} {total:.2f}s infinite{hidden}">{clock(at)}</text>')
    width, height = COLUMNS * 8 + 32, VISIBLE * LINE + 52
    # Readers that prefer no motion, and programs that show no animation, get the last screen.
    file.write_text("\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="A terminal that runs a command">',
        f"<style>{''.join(style)}@media (prefers-reduced-motion:reduce){{*{{animation:none!important}}}}</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="#0d1117" stroke="#3d444d"/>',
        '<g fill="#656c76"><circle cx="20" cy="18" r="5"/><circle cx="38" cy="18" r="5"/>'
        '<circle cx="56" cy="18" r="5"/></g>',
        *clocks,
        f'<svg x="0" y="36" width="{width}" height="{VISIBLE * LINE + 8}"><g style="animation:scroll {total:.2f}s infinite;'
        f'transform:translateY({-scroll[-1][1] * LINE}px)">',
        *body, "</g></svg></svg>", ""]), encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    if len(arguments) > 2 and arguments[0] == "record":
        sys.exit(record(Path(arguments[1]), arguments[2:]))
    if len(arguments) != 2:
        sys.exit(__doc__)
    draw(Path(arguments[0]), Path(arguments[1]))


if __name__ == "__main__":
    main()
