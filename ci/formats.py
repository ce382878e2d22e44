# SPDX-License-Identifier: Apache-2.0
# What ci/formats.sh has Python judge, with Python's own readers.
#   formats.py hostile RESULTS.db NAMES.json OUT-PREFIX   copies whose engines, workloads, title … are the hostile names
#   formats.py published NAMES.json OUT-PREFIX            published numbers in which everything has a hostile name
#   formats.py drive SCHEMA.json OUTPUT...                what tacho drive --json printed, by its schema
#   formats.py judge REPORT...                            JSON by schema, CSV by RFC 4180, Markdown through cmark-gfm
import csv
import html.parser
import json
import math
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

import jsonschema

HERE = pathlib.Path(__file__).parent
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def make_hostile(source, names_file, prefix):
    """Names in turn for everything that has one; a file for as many as there are places."""
    names = [name for name in json.loads(names_file.read_text("utf-8")) if isinstance(name, str)]
    with sqlite3.connect(source) as database:
        engines = [row[0] for row in database.execute("SELECT engine_id FROM engine")]
        workloads = [row[0] for row in database.execute("SELECT workload_id FROM workload")]
    for number, first in enumerate(range(0, len(names), len(engines))):
        path = f"{prefix}{number}.db"
        shutil.copy(source, path)
        database = sqlite3.connect(path)
        turn = [names[(first + i) % len(names)] for i in range(len(names))]
        for i, engine_id in enumerate(engines):
            # A run with more engines than names needs a number to keep them apart.
            name = turn[i % len(turn)] + ("" if i < len(turn) else str(i))
            database.execute("UPDATE engine SET name = ? WHERE engine_id = ?", (name, engine_id))
        for i, workload_id in enumerate(workloads):
            name = turn[(i + 1) % len(turn)]
            database.execute("UPDATE workload SET name = ?, path = ? WHERE workload_id = ?", (name, "/" + name, workload_id))
        database.execute("UPDATE session SET title = ?", (turn[-1],))
        database.execute("UPDATE trial SET reason = ? WHERE trial_id % 7 = 3", (turn[2],))
        database.execute("UPDATE event SET text = ?", (turn[3],))
        database.execute("UPDATE fact SET value = ? WHERE name IN ('cpu.model', 'kernel.release')", (turn[4],))
        database.commit()
        database.close()


PUBLISHED_NAMES = 8  # engines of a file


def make_published(names_file, prefix):
    """Every text is a name; a published one has 1 to 300 bytes and no NUL."""
    given = [name for name in json.loads(names_file.read_text("utf-8")) if isinstance(name, str)]
    names = [name for name in given if name and "\0" not in name and len(name.encode("utf-8")) <= 300]
    for first in range(0, len(names), PUBLISHED_NAMES):
        turn = names[first:] + names[:first]
        engines, workload = turn[:PUBLISHED_NAMES], turn[PUBLISHED_NAMES]
        published = {
            "format": "tachograph-published-1", "title": turn[1], "source": turn[2], "notes": engines,
            "conditions": dict(zip(("machine", "os", "tool", "network", "protocol"), turn)),
            "engines": [{"name": name, "about": turn[3], "stand_in_why": turn[4], "stand_in": "epoll"} for name in engines],
            "workloads": [{"name": workload, "request": turn[6], "note": turn[7], "connections": 10, "stand_in": "ping"}],
            "figures": [{"engine": name, "workload": workload, "note": turn[8], "requests_per_s": 1000 + i,
                         "requests_per_s_max": 9000, "latency_mean_ms": 9.1, "latency_max_s": {"over": 3.6}}
                        for i, name in enumerate(engines)],
            "claims": [{"id": name, "text": name, "metric": "requests_per_s", "of": name, "over": engines[0],
                        "workload": workload, "says": 2} for name in engines]}
        path = pathlib.Path(f"{prefix}{first // PUBLISHED_NAMES}.json")
        path.write_text(json.dumps(published, ensure_ascii=False), "utf-8")


class Elements(html.parser.HTMLParser):
    """The elements of a page with their links."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_comment(self, data):
        self.found.append(("comment", {"text": data}))


# What the renderer itself writes; of <pre> the only content is our own.
OUR_ELEMENTS = {"h1", "h2", "h3", "h4", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details",
                "summary", "blockquote", "pre", "code"}


def judge_markdown(path):
    extensions = [part for name in ("table", "autolink", "strikethrough", "tasklist", "footnotes") for part in ("-e", name)]
    page = subprocess.run(["cmark-gfm", "--unsafe", *extensions, str(path)], check=True, capture_output=True)
    elements = Elements()
    elements.feed(page.stdout.decode("utf-8"))
    for tag, attributes in elements.found:
        if tag in OUR_ELEMENTS and set(attributes) <= {"align"}:
            continue
        if tag == "img" and re.fullmatch(r"plots/[a-z0-9-]+\.svg|figures/[a-z0-9-]+\.png", attributes["src"]):
            continue
        if tag == "comment" and re.fullmatch(r" tachograph-report [0-9a-f]{12} ", attributes["text"]):
            continue
        yield f"an element that is not ours: <{tag}> {attributes}"
    limits = {"summary.md": 1024 * 1024, "comment.md": 65535}
    if path.name in limits and len(path.read_bytes()) > limits[path.name]:
        yield "too long"


def reject_constant(name):
    raise ValueError(f"{name} is not JSON")


def reject_duplicates(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def judge_json(path, schema):
    text = path.read_bytes().decode("utf-8")
    document = json.loads(text, parse_constant=reject_constant, object_pairs_hook=reject_duplicates)
    jsonschema.Draft7Validator.check_schema(schema)
    for error in jsonschema.Draft7Validator(schema).iter_errors(document):
        yield f"{list(error.path)}: {error.message[:200]}"


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def lines_of(text):
    """Lines with their ends, as a file opened with newline='' gives them."""
    return re.findall(r"[^\n]*\n|[^\n]+$", text)


def judge_csv(path):
    text = path.read_bytes().decode("utf-8")
    if not text.endswith("\r\n"):
        yield "the last line does not end in CRLF"
    rows = list(csv.reader(lines_of(text), strict=True))
    heading, values = rows[0], rows[1:]
    if len(set(heading)) != len(heading):
        yield "a column twice"
    for number, row in enumerate(values, 2):
        if len(row) != len(heading):
            yield f"row {number} has {len(row)} fields, the heading {len(heading)}"
        for field in row:
            if field.startswith(FORMULA_STARTS) and not is_number(field):
                yield f"row {number}: a formula: {field[:40]!r}"


def judge(report):
    own = report / "report.schema.json" # an article has none
    schemas = {"report.json": json.loads(own.read_text("utf-8")) if own.exists() else None,
               "bmf.json": json.loads((HERE / "bmf.schema.json").read_text("utf-8"))}
    custom = json.loads((HERE / "custom.schema.json").read_text("utf-8"))
    schemas |= {f"custom{which}IsBetter.json": custom for which in ("Bigger", "Smaller")}
    for path in sorted(report.rglob("*")):
        if path.suffix == ".md":
            faults = judge_markdown(path)
        elif path.name in schemas:
            faults = judge_json(path, schemas[path.name])
        elif path.suffix == ".csv":
            faults = judge_csv(path)
        else:
            continue
        count = 0
        for fault in faults:
            print(f"{path}: {fault}")
            count += 1
        yield path.suffix, count


def judge_drives(schema_path, paths):
    """How many outputs are not by the schema; one with an unknown key, or without one of its keys, must be refused."""
    schema = json.loads(schema_path.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    judge_one = jsonschema.Draft202012Validator(schema)
    failed = 0
    for path in paths:
        document = json.loads(pathlib.Path(path).read_text("utf-8"))
        variant = schema["$defs"]["search" if "goal" in document else "load"] # its faults say more than oneOf's
        faults = list(judge_one.evolve(schema=schema | {"oneOf": [variant]}).iter_errors(document))
        for fault in [inner for outer in faults for inner in outer.context or [outer]]:
            print(f"{path}: {fault.json_path}: {fault.message[:200]}")
        lacking = dict(list(document.items())[:-1])
        planted = any(judge_one.is_valid(wrong) for wrong in (document | {"surprise": 1}, lacking))
        if planted:
            print(f"{path}: the schema takes it with a key too many or too few")
        failed += bool(faults) or planted
    return failed


def main():
    if sys.argv[1] == "hostile":
        make_hostile(sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4])
        return 0
    if sys.argv[1] == "published":
        make_published(pathlib.Path(sys.argv[2]), sys.argv[3])
        return 0
    if sys.argv[1] == "drive":
        failed = judge_drives(pathlib.Path(sys.argv[2]), sys.argv[3:])
        print(f"python3: {len(sys.argv) - 3} outputs of tacho drive; {failed} faults")
        return 1 if failed else 0
    totals, failed = {}, 0
    for report in sys.argv[2:]:
        for suffix, count in judge(pathlib.Path(report)):
            totals[suffix] = totals.get(suffix, 0) + 1
            failed += count
    print("python3: " + ", ".join(f"{count} {suffix}" for suffix, count in sorted(totals.items())) + f"; {failed} faults")
    return 1 if failed or set(totals) != {".md", ".json", ".csv"} else 0


sys.exit(main())
