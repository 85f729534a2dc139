"""Read the licence texts under /usr/share/common-licenses as labelled sections."""

import re
from dataclasses import dataclass, field


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


SENTENCE_END = re.compile(r"[.:;?!][\"')\]]*(?= |$)")
ABBREVIATION = re.compile(r"\b(U\.S|C\.F\.R|Inc|Oct|Sept|v|e\.g|i\.e|[ivx]{1,4})\.$")  # also "iii." of a list


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
