#!/usr/bin/env python3
"""Build the licence question-answering data of the demo recipe.

    build.py OUTPUT_DIR [--licences DIR]    verify every pair, write train.jsonl and validation.jsonl
    build.py --check [--licences DIR]       verify every pair and print the statistics only

pairs/*.jsonl holds one question-answer pair a line: {"id", "licence", "section", "quote", "question", "answer"}.
`quote` is a short excerpt of the cited section that supports the answer; it is checked against the licence text and
stays inside the context however the section is cut. The answer ends with its citation, e.g. "[MPL-2.0 §3.2]".

The licence texts are not copied into the project: they are read from /usr/share/common-licenses, which every Debian
system has. Rows are {"context", "question", "answer", "source"}. The two MPL versions are the validation set: versions
of one licence repeat each other's sentences, so only a split by family keeps the answers out of the training set.

Sections are named as the licence numbers them ("3.2", "11"). Lettered items count as sections of their own where each
is a rule of its own in a long list (Apache-2.0 §4(b), GPL-3 §7(e), GFDL §4(K), ...); unnumbered parts go by name
("Preamble", "Exhibit A"; in BSD, which has no headings, "Permission" and "Disclaimer").

Python standard library only. The output depends on nothing but the pairs and the licence texts.
Exit code: 0 done, 2 a pair or a licence text is not as expected (one sentence each on stderr).
"""

import argparse
import hashlib
import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

CONTEXT_LIMIT = 1300     # characters of a context, labels included
SECTION_LIMIT = 850      # characters of the cited section in it
NEIGHBOUR_LIMIT = 400    # characters of the neighbouring section
ANSWER_WORDS = (15, 45)  # citation not counted
VALIDATION_LICENCES = {"MPL-1.1", "MPL-2.0"}
MINIMUM_PAIRS = {"train": 250, "validation": 48}
PAIR_FIELDS = ("id", "licence", "section", "quote", "question", "answer")


class DataError(Exception):
    """What is wrong with a pair or a licence text, as a sentence."""


@dataclass(frozen=True)
class Layout:
    """How one licence file marks its sections.

    titles: where a section's title ends: "none" (no titles), "sentence" (first full stop), "line" or "paragraph".
    untitled: numbers whose heading line is already text, in spite of `titles`.
    named: pattern of a line that opens an unnumbered section -> its name; the line itself is left out of the text
    when it ends the pattern with "$".
    stop: pattern of a line that belongs to no section and ends the one before it.
    lettered: numbers of the sections whose lettered items are sections of their own.
    """

    titles: str = "none"
    untitled: str = r"(?!)"
    named: dict = field(default_factory=dict)
    stop: str = r"(?!)"
    lettered: tuple = ()


GNU_STOP = r"\s*(GNU (LESSER |LIBRARY )?GENERAL PUBLIC LICENSE|TERMS AND CONDITIONS|NO WARRANTY|END OF TERMS)"
GNU_NAMED = {r"\s*Preamble\s*$": "Preamble", r"\s*(Appendix: )?How to Apply These Terms.*$": "How to Apply"}
GFDL = Layout(titles="paragraph", named={r"ADDENDUM: .*$": "Addendum"}, lettered=("4",))

LAYOUTS = {
    "Apache-2.0": Layout(titles="sentence", named={r"\s*APPENDIX: .*$": "Appendix"}, stop=r"\s*END OF TERMS",
                         lettered=("4",)),
    "Artistic": Layout(named={r"\s*Preamble\s*$": "Preamble", r"Definitions:\s*$": "Definitions"}, stop=r"\s*The End",
                       lettered=("3", "4")),
    "BSD": Layout(named={r"Redistribution and use": "Permission", r"THIS SOFTWARE IS": "Disclaimer"}),
    "CC0-1.0": Layout(titles="sentence", named={r"Statement of Purpose\s*$": "Statement of Purpose"}, lettered=("4",)),
    "GFDL-1.2": GFDL,
    "GFDL-1.3": GFDL,
    "GPL-1": Layout(named=GNU_NAMED, stop=GNU_STOP),
    "GPL-2": Layout(named=GNU_NAMED, stop=GNU_STOP),
    "GPL-3": Layout(titles="sentence", named=GNU_NAMED, stop=GNU_STOP, lettered=("5", "6", "7")),
    "LGPL-2": Layout(named=GNU_NAMED, stop=GNU_STOP),
    "LGPL-2.1": Layout(named=GNU_NAMED, stop=GNU_STOP),
    "LGPL-3": Layout(titles="sentence"),
    "MPL-1.1": Layout(titles="line", untitled=r"(1|8)\..+", named={r"\s*EXHIBIT A .*$": "Exhibit A"}),
    "MPL-2.0": Layout(titles="paragraph", untitled=r"(1|5)\..+", named={r"Exhibit (A) - .*$": "Exhibit A",
                                                                        r"Exhibit (B) - .*$": "Exhibit B"}),
}


@dataclass
class Section:
    """One citable section: its label starts the text in every context."""

    number: str
    title: str
    text: str
    lead: str = ""  # for a lettered item: the sentence that introduces the list

    def label(self, licence):
        return f"{licence} §{self.number}{' ' + self.title if self.title else ''}:"


# --- reading a licence ---------------------------------------------------------------------------------------------

HEADING = re.compile(r"\s{0,5}(\d+(?:\.\d+)*)\.\s+(\S.*)")


def joined(lines):
    """The lines as one line, wrapped whitespace removed."""
    return " ".join(" ".join(lines).split())


def cleaned_lines(text):
    """Lines without form feeds, rules, and the frame of asterisks that MPL-2.0 draws around two sections."""
    for line in text.replace("\f", "").expandtabs(8).splitlines():
        line = re.sub(r"^\*(.*?)\*?\s*$", r"\1", line).rstrip()
        if not re.fullmatch(r"\s*[-=*]{4,}\s*", line):
            yield line


def follows(number, last):
    """Whether a dotted number can be the next heading; keeps numbers that merely start a wrapped line out."""
    parts = tuple(map(int, number.split(".")))
    if not last:
        return parts in ((0,), (1,))
    return parts > last and parts[0] - last[0] in (0, 1) and not (len(parts) == 1 and parts[0] == last[0])


def split_blocks(licence, text):
    """[(number or name, is_named, lines)] in file order."""
    layout, blocks, current, last = LAYOUTS[licence], [], None, ()
    for line in cleaned_lines(text):
        name = next((n for pattern, n in layout.named.items() if re.match(pattern, line)), None)
        heading = HEADING.match(line)
        if name:
            is_heading_only = any(re.match(p, line) and p.endswith("$") for p in layout.named)
            current = (name, True, [] if is_heading_only else [line])
            blocks.append(current)
        elif re.match(layout.stop, line):
            current = None
        elif heading and follows(heading[1], last):
            last = tuple(map(int, heading[1].split(".")))
            current = (heading[1], False, [heading[2]])
            blocks.append(current)
        elif current:
            current[2].append(line)
    return blocks


def split_title(layout, number, lines):
    """(title, remaining lines) of a numbered block."""
    if layout.titles == "none" or re.fullmatch(layout.untitled, number):
        return "", lines
    if layout.titles == "line":
        return lines[0].rstrip(". "), lines[1:]
    end = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
    paragraph = joined(lines[:end])
    if layout.titles == "paragraph":
        return paragraph.rstrip("."), lines[end:]
    title, _, rest = paragraph.partition(". ")
    return title.rstrip("."), [rest, *lines[end:]]


def split_items(lines):
    """(text outside the items, {letter: text}); an item ends with its paragraph."""
    own, items, current, expected = [], {}, None, None
    for line in lines:
        match = re.match(r"\s*\(?([A-Za-z])[.)]\s+(\S.*)", line)
        if match and (match[1] == expected or (not items and match[1] in "aA")):
            own += [] if items else ["..."]
            current = items.setdefault(match[1], [match[2]])
            expected = chr(ord(match[1]) + 1)
        elif not line.strip():
            current = None
            own.append(line)
        else:
            (own if current is None else current).append(line)
    return own, {letter: joined(text) for letter, text in items.items()}


def read_sections(licence, text):
    """The sections of a licence in file order, empty parents (a title with numbered children) left out."""
    layout, sections, titles = LAYOUTS[licence], [], {}
    for number, is_named, lines in split_blocks(licence, text):
        title, lines = ("", lines) if is_named else split_title(layout, number, lines)
        titles[number] = title
        title = title or titles.get(number.partition(".")[0], "")
        if number not in layout.lettered:
            if joined(lines):
                sections.append(Section(number, title, joined(lines)))
            continue
        own, items = split_items(lines)
        own_text = joined(own)
        lead = next((s for s in sentences(own_text.partition(" ...")[0]) if s.endswith(":")), "")
        if own_text.strip(". "):
            sections.append(Section(number, title, own_text))
        sections += [Section(f"{number}({letter})", title, item, lead) for letter, item in items.items()]
    return sections


# --- cutting a context ---------------------------------------------------------------------------------------------

SENTENCE_END = re.compile(r"[.:;?!][\"')\]]*(?= |$)")
ABBREVIATION = re.compile(r"\b(U\.S|C\.F\.R|Inc|Oct|Sept|v|e\.g|i\.e)\.$")


def spans(text):
    """[(start, end)] of the sentences; a colon or a semicolon ends one too, so that long lists can be cut."""
    found, start = [], 0
    for match in SENTENCE_END.finditer(text):
        if not ABBREVIATION.search(text[start:match.end()]):
            found.append((start, match.end()))
            start = match.end() + 1
    return [*found, (start, len(text))] if start < len(text) else found


def sentences(text):
    return [text[start:end] for start, end in spans(text)]


def window(text, quote, limit):
    """The part of the text around the quote, whole sentences, at most limit characters unless the quote needs more."""
    if len(text) <= limit:
        return text
    pieces, at = spans(text), text.index(quote)
    inside = [i for i, (start, end) in enumerate(pieces) if start < at + len(quote) and end > at]
    first, last, grown = inside[0], inside[-1], True
    while grown:
        grown = False
        if first > 0 and pieces[last][1] - pieces[first - 1][0] <= limit:
            first, grown = first - 1, True
        if last + 1 < len(pieces) and pieces[last + 1][1] - pieces[first][0] <= limit:
            last, grown = last + 1, True
    cut = text[pieces[first][0]:pieces[last][1]]
    return f"{'... ' if first else ''}{cut}{' ...' if last + 1 < len(pieces) else ''}"


def head(text, limit):
    """The first sentences of the text up to limit characters, at least one; a longer one is cut at a word."""
    if len(text) <= limit:
        return text
    kept = ""
    for piece in sentences(text):
        if len(kept) + len(piece) + 1 > limit:
            break
        kept = f"{kept} {piece}".strip()
    return f"{kept or text[:limit].rpartition(' ')[0]} ..."


def draw(pair_id, purpose):
    """A byte that is a pure function of the pair and the purpose."""
    return hashlib.sha256(f"{pair_id}/{purpose}".encode()).digest()[0]


def neighbour(pair, sections, at):
    """Index of the distractor section, or None; about every second pair has one."""
    if draw(pair["id"], "neighbour") % 2:
        return None
    steps = (-1, 1) if draw(pair["id"], "side") % 2 else (1, -1)
    for index in (at + step for step in steps):
        if 0 <= index < len(sections) and pair["quote"] not in sections[index].text:
            return index
    return None


def build_context(pair, sections):
    """The labelled text that answers the question, in licence order with its neighbour if it has one."""
    at = next(i for i, s in enumerate(sections) if s.number == pair["section"])
    other = neighbour(pair, sections, at)
    order = sorted(i for i in (at, other) if i is not None)
    lead = sections[order[0]].lead  # an item of a list is read with the sentence that introduces the list
    labels = {i: sections[i].label(pair["licence"]) + (f" {lead}" if lead and i == order[0] else "") for i in order}
    texts = {at: window(sections[at].text, pair["quote"], SECTION_LIMIT)}
    if other is not None:
        used = sum(len(label) + 2 for label in labels.values()) + len(texts[at])
        texts[other] = head(sections[other].text, min(NEIGHBOUR_LIMIT, CONTEXT_LIMIT - used - len(" ...")))
    return "\n".join(f"{labels[i]} {texts[i]}" for i in order)


# --- verifying -----------------------------------------------------------------------------------------------------


def read_pairs(folder):
    """All pairs of pairs/*.jsonl, by file name and line."""
    pairs = []
    for path in sorted(folder.glob("*.jsonl")):
        for line_number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                pair = json.loads(line)
            except ValueError as error:
                raise DataError(f"{path.name} line {line_number} is not JSON: {error}.") from error
            if not isinstance(pair, dict) or tuple(pair) != PAIR_FIELDS or not all(isinstance(v, str) for v in pair.values()):
                raise DataError(f"{path.name} line {line_number} must hold the text fields {', '.join(PAIR_FIELDS)}.")
            pairs.append(pair)
    return pairs


def problems_of(pair, sections):
    """Sentences about what is wrong with one pair."""
    name, found = f"Pair {pair['id']}", []
    section = next((s for s in sections if s.number == pair["section"]), None)
    if section is None:
        return [f"{name} cites §{pair['section']}, which {pair['licence']} does not have."]
    if not pair["quote"] or pair["quote"] not in section.text:
        found.append(f"{name} quotes \"{pair['quote']}\", which {pair['licence']} §{pair['section']} does not say.")
    citation = f" [{pair['licence']} §{pair['section']}]"
    if not pair["answer"].endswith("." + citation):
        found.append(f"{name} must end its answer with a full stop and the citation \"{citation.strip()}\".")
    if pair["answer"].count("[") != 1:
        found.append(f"{name} must hold exactly one citation.")
    words = len(pair["answer"].removesuffix(citation).split())
    if not ANSWER_WORDS[0] <= words <= ANSWER_WORDS[1]:
        found.append(f"{name} has an answer of {words} words; {ANSWER_WORDS[0]} to {ANSWER_WORDS[1]} are wanted.")
    if not re.fullmatch(r"[A-Z].{15,}\?", pair["question"]):
        found.append(f"{name} must ask one question that starts with a capital letter and ends with a question mark.")
    return found


def verify(pairs, licences):
    """Raise DataError with every problem found, one sentence a line."""
    found, seen = [], {}
    for pair in pairs:
        if pair["licence"] not in licences:
            found.append(f"Pair {pair['id']} names the licence {pair['licence']}, which is not one of the known files.")
            continue
        found += problems_of(pair, licences[pair["licence"]])
        for key in ("id", "question", "answer"):
            first = seen.setdefault((key, pair[key].lower()), pair["id"])
            if first != pair["id"] or (key == "id" and seen.setdefault(("object", pair["id"]), id(pair)) != id(pair)):
                found.append(f"Pair {pair['id']} repeats the {key} of pair {first}.")
    for split, minimum in MINIMUM_PAIRS.items():
        count = sum(split_of(pair) == split for pair in pairs)
        if count < minimum:
            found.append(f"The {split} set has {count} pairs; at least {minimum} are wanted.")
    if found:
        raise DataError("\n".join(found))


def read_licences(folder):
    """{licence: sections} of every known licence file."""
    licences = {}
    for licence in LAYOUTS:
        try:
            text = (folder / licence).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"Cannot read the licence text {folder / licence}: {error}. "
                            "Install the Debian package base-files, or name its folder with --licences.") from error
        licences[licence] = read_sections(licence, text)
    return licences


# --- writing -------------------------------------------------------------------------------------------------------


def split_of(pair):
    return "validation" if pair["licence"] in VALIDATION_LICENCES else "train"


def build_row(pair, licences):
    return {"context": build_context(pair, licences[pair["licence"]]), "question": pair["question"],
            "answer": pair["answer"], "source": f"{pair['licence']} §{pair['section']}"}


def write_rows(path, rows):
    """Replace the file atomically."""
    partial = path.with_name(path.name + ".part")
    with open(partial, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def print_statistics(pairs, rows):
    def mean(values):
        return sum(values) / max(1, len(values))

    print(f"{'licence':<12}{'set':<12}{'pairs':>6}{'sections':>10}{'characters':>12}")
    for licence in LAYOUTS:
        chosen = [(p, r) for p, r in zip(pairs, rows) if p["licence"] == licence]
        size = mean([len(r["context"] + r["question"] + r["answer"]) for _, r in chosen])
        split = "validation" if licence in VALIDATION_LICENCES else "train"
        print(f"{licence:<12}{split:<12}{len(chosen):>6}{len({p['section'] for p, _ in chosen}):>10}{size:>12.0f}")
    for split in MINIMUM_PAIRS:
        chosen = [r for p, r in zip(pairs, rows) if split_of(p) == split]
        means = {key: mean([len(r[key]) for r in chosen]) for key in ("context", "question", "answer")}
        two = sum("\n" in r["context"] for r in chosen)
        print(f"{split}: {len(chosen)} rows, {two} with a neighbouring section; characters on average: "
              + ", ".join(f"{key} {value:.0f}" for key, value in means.items())
              + f", together {sum(means.values()):.0f}; longest context {max((len(r['context']) for r in chosen), default=0)}")


def main():
    parser = argparse.ArgumentParser(description="Build the licence question-answering data of the demo recipe.")
    parser.add_argument("output", nargs="?", type=Path, help="folder for train.jsonl and validation.jsonl")
    parser.add_argument("--check", action="store_true", help="verify the pairs and write nothing")
    parser.add_argument("--licences", type=Path, default=Path("/usr/share/common-licenses"),
                        help="folder of the licence texts (default: %(default)s)")
    options = parser.parse_args()
    if options.output is None and not options.check:
        parser.error("name an output folder, or ask for --check")
    try:
        licences = read_licences(options.licences)
        pairs = read_pairs(Path(__file__).resolve().parent / "pairs")
        verify(pairs, licences)
        rows = [build_row(pair, licences) for pair in pairs]
        if not options.check:
            options.output.mkdir(parents=True, exist_ok=True)
            for split in MINIMUM_PAIRS:
                write_rows(options.output / f"{split}.jsonl", [r for p, r in zip(pairs, rows) if split_of(p) == split])
    except (DataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print_statistics(pairs, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
