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
from pathlib import Path

from sections import LAYOUTS, DataError, read_licences, sentences, spans

CONTEXT_LIMIT = 1300     # characters of a context, labels included
SECTION_LIMIT = 850      # characters of the cited section in it
NEIGHBOUR_LIMIT = 400    # characters of the neighbouring section
ANSWER_WORDS = (15, 45)  # citation not counted
VALIDATION_LICENCES = {"MPL-1.1", "MPL-2.0"}
MINIMUM_PAIRS = {"train": 250, "validation": 48}
PAIR_FIELDS = ("id", "licence", "section", "quote", "question", "answer")


# --- cutting a context ---------------------------------------------------------------------------------------------


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
    return f"{'... ' if first and not cut.startswith('...') else ''}{cut}{' ...' if last + 1 < len(pieces) else ''}"


def head(text, limit):
    """The first sentences of the text up to limit characters, at least one; a longer one is cut at a word."""
    if len(text) <= limit:
        return text
    kept = ""
    for piece in sentences(text):
        if len(kept) + len(piece) + 1 > limit:
            break
        kept = f"{kept} {piece}".strip()
    return f"{kept.removesuffix(' ...') or text[:limit].rpartition(' ')[0]} ..."


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
            if (not isinstance(pair, dict) or tuple(pair) != PAIR_FIELDS
                    or not all(isinstance(value, str) for value in pair.values())):
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
    for index, pair in enumerate(pairs):
        if pair["licence"] not in licences:
            found.append(f"Pair {pair['id']} names the licence {pair['licence']}, which is not one of the known files.")
            continue
        found += problems_of(pair, licences[pair["licence"]])
        for key in ("id", "question", "answer"):
            first = seen.setdefault((key, pair[key].lower()), index)
            if first != index:
                found.append(f"Pair {pair['id']} repeats the {key} of pair {pairs[first]['id']}.")
    for split, minimum in MINIMUM_PAIRS.items():
        count = sum(split_of(pair) == split for pair in pairs)
        if count < minimum:
            found.append(f"The {split} set has {count} pairs; at least {minimum} are wanted.")
    if found:
        raise DataError("\n".join(found))


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
        two, longest = sum("\n" in r["context"] for r in chosen), max(len(r["context"]) for r in chosen)
        print(f"{split}: {len(chosen)} rows, {two} with a neighbouring section; characters on average: "
              + ", ".join(f"{key} {value:.0f}" for key, value in means.items())
              + f", together {sum(means.values()):.0f}; longest context {longest}")


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
