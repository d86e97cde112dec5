// A run opened: what its evidence is worth, its steps with both sides of every argument, its final state.

// What a state of a comparison looks like: sign, word, tone.
const STATES = {
  same: ["=", "same", ""],
  forgiven: ["≈", "forgiven", "forgiven"],
  ignored: ["·", "not compared", "quiet"],
  changed: ["✗", "changed", "fail"],
  missing: ["−", "missing", "fail"],
  unexpected: ["+", "unexpected", "fail"],
  unknown: ["?", "unknown", "unknown"],
  uncompared: ["·", "as recorded", ""],
};

const STEP_STATES = {
  matched: ["=", "matched"],
  changed: ["✗", "changed"],
  missing: ["−", "missing"],
  extra: ["+", "extra"],
  moved: ["↕", "moved"],
  repeated: ["‼", "repeated"],
  uncompared: ["·", ""],
};

const TO_DO = {
  no_trace:
    "Nothing was recorded for this case. Does its id occur in the traces, letter for letter? Did the run start?",
  unusable: "Not judged: its case or its trace is broken. What was recorded stands below.",
  unreviewed: "No case asks about this run: it is shown, not judged.",
};

function timeline(run, row) {
  const facts = [];
  if (row.reviewed)
    facts.push(["reviewed as", [text(row.reviewed), row.agrees === false ? " (not the verdict)" : ""]]);
  if (row.mark) facts.push(["triage", text(row.mark)]);
  if (run.branch) facts.push(["branch", text(run.branch)]);
  if (run.evidence)
    facts.push([
      "evidence",
      el(
        "ul",
        { class: "flow" },
        run.evidence.map(([name, answer]) =>
          el("li", {}, el("span", { class: "quiet" }, name), " ", text(answer)),
        ),
      ),
    ]);
  if (run.incomplete) facts.push(["incomplete", el("span", { class: "unknown" }, text(run.incomplete))]);
  for (const [name, value] of run.recorded ?? []) facts.push([["recorded ", text(name)], shown(value)]);
  for (const note of run.notes ?? []) facts.push(["note", text(note)]);
  return [
    run.title && run.title !== row.title ? el("p", { class: "title" }, text(run.title)) : null,
    TO_DO[run.verdict] ? el("p", { class: "unknown" }, TO_DO[run.verdict]) : null,
    run.problem ? el("p", { class: "fail" }, sign("✗"), text(run.problem)) : null,
    verdicts("Checks", run.checks),
    run.groups ? null : verdicts("Layers", run.layers),
    facts.length
      ? el(
          "dl",
          { class: "facts" },
          facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
        )
      : null,
    findings(run.findings),
    run.steps ? steps(run.steps) : null,
    run.final ? block("End of run", diffTable(run.final, "field")) : null,
    (run.groups ?? []).map((group) =>
      block(
        [
          text(group.title),
          " ",
          group.verdict === "n/a" ? null : verdictPill(group.verdict),
          group.text ? el("span", { class: "quiet" }, " ", text(group.text)) : "",
        ],
        group.diffs.length ? diffTable(group.diffs, "field") : null,
      ),
    ),
  ];
}

function block(title, ...content) {
  return el("section", { class: "block" }, el("h3", {}, title), content);
}

function verdicts(title, named) {
  if (!named) return null;
  const items = named.map(([name, verdict]) => {
    const [mark, word, tone] = LOOKS[verdict];
    return el(
      "li",
      { class: tone || "quiet" },
      sign(mark, word),
      text(name),
      el("span", { class: verdict === "pass" ? "unseen" : "word" }, ` ${word}`),
    );
  });
  return el("ul", { class: "verdict-list", "aria-label": title }, items);
}

function findings(found) {
  if (!found?.length) return null;
  const items = found.map((finding) => {
    const [mark, word] = finding.tone === "fail" ? ["✗", "fails"] : ["?", "cannot be seen"];
    return el(
      "li",
      { class: finding.tone },
      sign(mark, word),
      el(
        "span",
        {},
        finding.check ? [text(finding.check, "check"), ", "] : null,
        text(finding.place),
        ": ",
        text(finding.message),
      ),
      finding.sides ? diffTable([["", "changed", ...finding.sides]], "field") : null,
    );
  });
  return el("ul", { class: "findings", "aria-label": "Findings" }, items);
}

// -- steps ---------------------------------------------------------------------------------------------------

function steps(list) {
  const items = list.map((step) => el("li", {}, stepDetails(step)));
  return items.length
    ? el("ol", { class: "steps", "aria-label": "Steps" }, items)
    : el("p", { class: "quiet" }, "No calls.");
}

function stepDetails(step) {
  const tone = step.tone ?? "";
  const [mark, word] = STEP_STATES[step.state];
  const words = [
    step.actor ? ["by ", text(step.actor)] : null,
    word && !(step.state === "changed" && step.differences) ? word : null,
    (step.state === "moved" || step.state === "missing") && step.place
      ? `expected as call ${step.place}`
      : null,
    step.differences ? plural(step.differences, "difference") : null,
    step.unknown ? `${number(step.unknown)} unknown` : null,
    step.forgiven ? `${number(step.forgiven)} forgiven` : null,
  ].filter((part) => part !== null);
  const summary = el(
    "summary",
    { class: tone },
    el("span", { class: "step-number" }, step.step ?? "–"),
    sign(tone === "fail" && mark === "=" ? "✗" : mark),
    code(step.tool, "tool"),
    el(
      "span",
      { class: "step-state" },
      words.flatMap((part, at) => (at ? [" · ", part] : [part])),
    ),
    el(
      "span",
      { class: "step-end" },
      step.status
        ? el(
            "span",
            { class: step.status_fails ? "fail" : step.status === "status unknown" ? "unknown" : "" },
            step.status_fails ? sign("✗", "fails") : null,
            text(step.status),
          )
        : null,
      step.after ? [" · ", text(step.after)] : null,
    ),
  );
  return lazily(
    el("details", { class: `step ${tone}`, open: tone === "fail" || tone === "unknown" }, summary),
    () => [
      findings(step.findings),
      step.diffs ? diffTable(step.diffs, "argument") : el("p", { class: "quiet" }, "No arguments."),
      recorded(step),
    ],
  );
}

function recorded(step) {
  const facts = (step.fields ?? []).map(([name, value]) => [text(name), shown(value)]);
  if (step.as) facts.push(["recorded as", text(step.as)]);
  for (const note of step.notes ?? []) facts.push(["note", text(note)]);
  if (step.source) facts.push(["read from", text(step.source)]);
  if (!facts.length) return null;
  const names = (step.fields ?? []).map(([name]) => name).join(", ");
  const summary = el(
    "summary",
    {},
    "recorded",
    names ? el("span", { class: "quiet" }, ": ", text(names)) : null,
  );
  return lazily(el("details", { class: "recorded" }, summary), () =>
    el(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
    ),
  );
}

// The content of an unfolded part is made when it is first seen.
function lazily(details, make) {
  const fill = () => {
    if (details.open && details.childElementCount === 1) details.append(...el("div", {}, make()).childNodes);
  };
  details.addEventListener("toggle", fill);
  fill();
  return details;
}

// -- both sides ----------------------------------------------------------------------------------------------

const FEW_SAME = 6;

function diffTable(diffs, what) {
  const quiet = diffs.filter(([, state]) => state === "same" || state === "ignored");
  const folded = quiet.length < diffs.length && quiet.length > FEW_SAME ? quiet : [];
  const open = diffs.filter((diff) => !folded.includes(diff));
  const bare = open.every(([, state]) => state === "uncompared");
  const heads = bare ? ["", what, "recorded"] : ["", what, "expected", "observed"];
  const body = (list) =>
    el(
      "tbody",
      {},
      list.map((diff) => diffRow(diff, bare)),
    );
  const node = el(
    "table",
    { class: "diffs" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((head) => el("th", { scope: "col" }, head || el("span", { class: "unseen" }, "state"))),
      ),
    ),
    body(open),
  );
  if (!folded.length) return node;
  const names = folded.map(([name]) => name).join(", ");
  const more = lazily(
    el(
      "details",
      { class: "recorded" },
      el(
        "summary",
        {},
        `${number(folded.length)} equal or not compared`,
        el("span", { class: "quiet" }, ": ", text(names)),
      ),
    ),
    () => el("table", { class: "diffs" }, body(folded)),
  );
  return [node, more];
}

function diffRow([name, state, expected, observed, note], bare) {
  const [mark, word, tone] = STATES[state];
  const differs = tone === "fail" || tone === "unknown";
  const [left, right] = differs ? marked(expected, observed) : [null, null];
  const cells = [
    el("td", { class: `state ${tone}` }, sign(mark), el("span", { class: "word" }, word)),
    el(
      "th",
      { scope: "row" },
      name ? code(name) : el("span", { class: "quiet" }, "the whole value"),
      note ? el("span", { class: "note" }, text(note)) : null,
    ),
  ];
  if (bare) cells.push(el("td", {}, side(observed, "missing")));
  else if (state === "same") cells.push(el("td", { colspan: "2" }, side(observed)));
  else {
    cells.push(
      el(
        "td",
        { class: differs ? "expected" : null, "data-side": "expected" },
        side(expected, "not expected", left),
      ),
    );
    cells.push(
      el(
        "td",
        { class: differs ? "observed" : null, "data-side": "observed" },
        side(observed, "missing", right),
      ),
    );
  }
  return el("tr", { class: tone || "plain" }, cells);
}

function side(value, absent, content) {
  return value === null || value === undefined
    ? el("span", { class: "quiet absent" }, `(${absent ?? "missing"})`)
    : shown(value, content);
}

// A value; `content` stands in for its line. A long one unfolds.
function shown(value, content) {
  if (typeof value === "string") return code(content ?? value, "value");
  if (value === null) return el("span", { class: "quiet absent" }, "(missing)");
  const summary = el("summary", {}, code(content ?? value.short, "value"));
  return lazily(el("details", { class: "long" }, summary), () => [
    el("pre", { dir: "auto", tabindex: "0" }, value.full),
    value.left ? el("p", { class: "quiet" }, `cut: ${plural(value.left, "more character")}`) : null,
  ]);
}

// The lines of two texts, lists or objects with the part that differs marked, unless nothing is equal.
function marked(expected, observed) {
  const [a, b] = [expected, observed].map((value) =>
    typeof value === "object" && value !== null ? value.short : value,
  );
  if (typeof a !== "string" || typeof b !== "string" || a === b || !/^["[{…]/.test(a) || !/^["[{…]/.test(b))
    return [null, null];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  if (insidePair(a, start) || insidePair(b, start)) start -= 1;
  if (insidePair(a, a.length - end) || insidePair(b, b.length - end)) end -= 1;
  const quotes = a[0] === '"' && b[0] === '"' ? 2 : 0;
  if (start + end <= quotes) return [null, null];
  return [a, b].map((words) => [
    words.slice(0, start),
    el("mark", {}, words.slice(start, words.length - end)),
    words.slice(words.length - end),
  ]);
}

function insidePair(words, at) {
  const before = words.charCodeAt(at - 1);
  return at > 0 && at < words.length && before >= 0xd800 && before <= 0xdbff;
}
