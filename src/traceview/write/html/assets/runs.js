// The table of runs: what matches, a screen or two at a time, and what a click on one opens.

const STEP = 50; // rows that are drawn at once: typing waits for no more
const PRINTED = 2000; // rows on paper at most

// A row of the table as it is written in the block "rows"; names are places in the lists of the report. What
// can be filtered by is a list, each under the name of its group.
function Row(values, place) {
  const [caseId, run, title, verdict, diagnosis, check, unknown, passed, signature, layer, ...rest] = values;
  const [reviewed, agrees, reason, tools, mark] = rest;
  return {
    ...{ place, caseId, run, title, check, unknown, passed, layer, reviewed, agrees, reason, tools, mark },
    verdict: [verdict],
    diagnosis: [diagnosis],
    signature: signature < 0 ? [] : [signature],
    label: agrees === null ? [] : [agrees ? "agree" : "disagree"],
  };
}

const runs = {
  all: [],
  found: [],
  drawn: 0,
  opened: new Set(),
  sortedBy: null, // [name, 1 or -1]

  show() {
    this.found = filter.apply(this.all);
    filter.mark(this.found);
    this.sort();
    byId("body").replaceChildren();
    this.drawn = 0;
    this.more(STEP);
    byId("nothing").hidden = this.found.length > 0;
    byId("table").hidden = this.found.length === 0;
  },

  more(count) {
    const rows = this.found.slice(this.drawn, this.drawn + count);
    byId("body").append(...rows.flatMap((row) => this.draw(row)));
    this.drawn += rows.length;
    const left = this.found.length - this.drawn;
    byId("more").hidden = left === 0;
    byId("more").textContent = `Show ${number(Math.min(STEP, left))} more of ${plural(left, "run")} below`;
  },

  sort() {
    if (this.sortedBy === null) return;
    const [name, way] = this.sortedBy;
    const order = SORTS[name];
    this.found.sort((a, b) => way * order(a, b) || a.place - b.place);
  },

  draw(row) {
    const open = this.opened.has(row.place);
    const button = el(
      "button",
      {
        type: "button",
        class: "open",
        "aria-expanded": String(open),
        "aria-controls": `opened-${row.place}`,
      },
      el("span", { class: "fold", "aria-hidden": "true" }),
      text(row.caseId),
    );
    const line = el(
      "tr",
      {
        class: `run ${LOOKS[VERDICTS[row.verdict[0]]][2]}`,
        click: (event) => this.clicked(event, row, line),
      },
      el(
        "th",
        { scope: "row" },
        button,
        row.run ? el("span", { class: "which" }, text(row.run)) : null,
        row.title ? el("span", { class: "title" }, text(row.title)) : null,
      ),
      el(
        "td",
        { "data-head": "verdict" },
        verdictPill(VERDICTS[row.verdict[0]]),
        row.agrees === false ? el("span", { class: "note" }, "reviewed as ", text(row.reviewed)) : null,
      ),
      el(
        "td",
        { "data-head": "diagnosis" },
        VERDICTS[row.verdict[0]] === report.diagnoses[row.diagnosis[0]].name
          ? null
          : text(report.diagnoses[row.diagnosis[0]].name, "name"),
      ),
      el("td", { "data-head": "checks" }, checkWords(row)),
      el(
        "td",
        { "data-head": "what is wrong" },
        text(row.reason, "reason"),
        row.mark ? el("span", { class: "note" }, text(row.mark)) : null,
      ),
    );
    return open ? [line, this.detail(row)] : [line];
  },

  // A row of text can be selected; a click that selects nothing opens it.
  clicked(event, row, line) {
    const onButton = event.target.closest("button") !== null;
    if (!onButton && String(getSelection())) return;
    const open = !this.opened.delete(row.place);
    if (open) {
      this.opened.add(row.place);
      line.after(this.detail(row));
    } else {
      line.nextElementSibling.remove();
    }
    line.querySelector(".open").setAttribute("aria-expanded", String(open));
  },

  detail(row) {
    const run = data(`run-${row.place}`);
    const content =
      run === null
        ? el("p", { class: "quiet" }, "The steps of this run are not in this file.")
        : timeline(run, row);
    return el(
      "tr",
      { class: "opened", id: `opened-${row.place}` },
      el("td", { colspan: "5" }, el("div", { class: "timeline" }, content)),
    );
  },
};

const VERDICTS = report.verdicts.map(([name]) => name);
const collator = new Intl.Collator("en", { numeric: true });
const SORTS = {
  case: (a, b) => collator.compare(a.caseId, b.caseId),
  verdict: (a, b) => a.verdict[0] - b.verdict[0],
  diagnosis: (a, b) => a.diagnosis[0] - b.diagnosis[0],
};

function checkWords(row) {
  const named = (ids, mark, word, tone) =>
    ids.map((id) =>
      el(
        "span",
        { class: `check ${tone}` },
        sign(mark),
        text(report.checks[id].name),
        el("span", { class: "unseen" }, ` ${word}`),
      ),
    );
  const rest = row.passed
    ? el(
        "span",
        { class: "check pass" },
        sign("✓"),
        row.check.length + row.unknown.length ? `${number(row.passed)} pass` : `all ${number(row.passed)}`,
      )
    : null;
  return [named(row.check, "✗", "fails", "fail"), named(row.unknown, "?", "unknown", "unknown"), rest];
}

function heads() {
  const cells = ["case", "verdict", "diagnosis", "checks", "what is wrong"].map((name) => {
    if (!SORTS[name]) return el("th", { scope: "col" }, name);
    const cell = el(
      "th",
      { scope: "col" },
      el(
        "button",
        { type: "button", class: "sort", click: () => sortBy(name) },
        name,
        el("span", { class: "arrow", "aria-hidden": "true" }),
      ),
    );
    cell.dataset.sort = name;
    return cell;
  });
  byId("heads").append(el("tr", {}, cells));
}

// Up, down, and back to the order of the cases file.
function sortBy(name) {
  const [before, way] = runs.sortedBy ?? [];
  runs.sortedBy = before !== name ? [name, 1] : way === 1 ? [name, -1] : null;
  for (const cell of byId("heads").querySelectorAll("th[data-sort]")) {
    const [sorted, direction] = runs.sortedBy ?? [];
    if (cell.dataset.sort === sorted)
      cell.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
    else cell.removeAttribute("aria-sort");
  }
  runs.show();
}

function keptNote(kept) {
  const words = [];
  if (!kept.steps)
    words.push(
      "This report was written without the recordings: runs open with their findings, not with their steps.",
    );
  if (kept.passing) words.push(`The steps of the ${plural(kept.passing, "run")} that pass are left out.`);
  if (kept.large)
    words.push(`The steps of ${plural(kept.large, "more run")} are left out: the file would be too large.`);
  return words.join(" ");
}
