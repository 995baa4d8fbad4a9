"""Tables of many runs: made one by one, kept in a CSV file from which they go on, written into a page."""

import csv
import threading
from concurrent.futures import ThreadPoolExecutor


def short(text, n=150):
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= n else text[: n - 3] + "..."


def make_rows(runs, measure, columns, key, out=None, jobs=1, show=None):
    """The rows of all runs; those that are in the file `out` are taken from it, new ones are added.

    measure(*run) -> a row; key(row) -> its run; show(row, new) prints it.
    """
    done = {}
    if out and out.exists():
        done = {key(row): row for row in csv.DictReader(out.open())}
    elif out:
        out.write_text(",".join(columns) + "\n")
    lock, rows = threading.Lock(), []

    def make(run):
        row = done.get(run)
        if row is None:
            row = {name: "" if value is None else str(value) for name, value in measure(*run).items()}
        with lock:
            rows.append(row)
            if out and run not in done:
                with out.open("a", newline="") as file:
                    csv.DictWriter(file, columns).writerow(row)
            if show:
                show(row, run not in done)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(make, runs))
    return rows


def write_page(file, table, name):
    """Puts the table between <!-- name --> and <!-- end of name -->."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    text = file.read_text()
    if begin not in text or end not in text:
        raise SystemExit(f"{file}: the page has no marks {begin.strip()} and {end}")
    before, _, rest = text.partition(begin)
    file.write_text(before + begin + "\n" + table + "\n\n" + end + rest.partition(end)[2])
