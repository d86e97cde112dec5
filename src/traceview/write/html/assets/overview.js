// What is said of all runs: the header, and the panels below it.

function header() {
  const contract = report.contract;
  const facts = [
    [
      "contract",
      contract
        ? [text(contract.name), ` (${contract.source})`, sum(contract.sha256)]
        : "none: these runs are not judged",
    ],
  ];
  for (const input of report.inputs) {
    facts.push([
      input.role,
      [
        text(input.path),
        el("span", { class: "quiet" }, ` ${input.format}, ${plural(input.records, "record")}`),
        sum(input.sha256),
      ],
    ]);
  }
  facts.push([
    "filter",
    report.filter === null
      ? el("span", { class: "quiet" }, "none: all runs are in this report")
      : code(report.filter, "filter"),
  ]);
  if (report.stamp !== null) facts.push(["stamp", text(report.stamp)]);
  for (const line of report.triage) facts.push(["decisions", text(line)]);
  byId("header").append(
    el("p", { class: "brand" }, "traceview"),
    el("h1", {}, report.headline ?? `${plural(report.rows, "run")}, not judged`),
    verdictBar(),
    figures(),
    el(
      "dl",
      { class: "facts" },
      facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
    ),
  );
}

function sum(sha256) {
  return sha256
    ? el("span", { class: "sum", title: `SHA-256 ${sha256}` }, ` sha256 ${sha256.slice(0, 12)}`)
    : null;
}

// The verdicts: they add up to the runs, so their parts stand on one bar.
function verdictBar() {
  const parts = report.verdicts.filter(([, count]) => count > 0);
  return el(
    "div",
    { class: "verdicts" },
    bar(
      parts.map(([name, count]) => [`${LOOKS[name][2]} ${name}`, count]),
      report.rows,
    ),
  );
}

function figures() {
  const { cases, runs, events, execution_problems: errors } = report.figures;
  const words = [
    [runs, runs === 1 ? "run" : "runs"],
    [cases, cases === 1 ? "case" : "cases"],
    [events, events === 1 ? "call" : "calls"],
  ];
  return el(
    "p",
    { class: "figures" },
    words.map(([count, noun]) => el("span", {}, el("b", {}, number(count)), ` ${noun}`)),
    errors
      ? el(
          "span",
          {},
          el("b", {}, number(errors)),
          ` ${errors === 1 ? "run" : "runs"} with a tool or request that reported an error`,
        )
      : null,
  );
}

function overview() {
  byId("overview").append(
    el(
      "div",
      { class: "panels" },
      checksPanel(),
      diagnosesPanel(),
      layersPanel(),
      labelsPanel(),
      trialsPanel(),
    ),
    signaturesPanel() ?? "",
  );
  byId("after").append(problemsPanel() ?? "");
  byId("footer").append(
    el(
      "p",
      {},
      `Written by traceview ${report.version}. The figures describe these files and these rules alone.`,
    ),
  );
}

function panel(title, note, ...content) {
  const id = `panel-${title.toLowerCase()}`;
  return el(
    "section",
    { class: "panel", "aria-labelledby": id },
    el("h2", { id }, title),
    note ? el("p", { class: "quiet" }, note) : null,
    content,
  );
}

function legend(...tones) {
  return el(
    "p",
    { class: "legend", "aria-hidden": "true" },
    tones.map(([tone, word]) => el("span", {}, el("span", { class: `swatch ${tone}` }), word)),
  );
}

function barRow(group, id, name, parts, base, words) {
  return el(
    "li",
    {},
    filter.button(
      group,
      id,
      "bar-row",
      text(name, "name"),
      bar(parts, base),
      el("span", { class: "count" }, words),
    ),
  );
}

function checksPanel() {
  if (!report.checks.length) return null;
  const most = Math.max(...report.checks.map((check) => check.pass + check.fail + check.unknown));
  const rows = report.checks.map((check, id) => {
    filter.name("check", id, `fails ${check.name}`);
    const base = check.pass + check.fail + check.unknown;
    const more = [
      check.fail ? `${number(check.fail)} fail` : "",
      check.unknown ? `${number(check.unknown)} unknown` : "",
      check["n/a"] ? `${number(check["n/a"])} n/a` : "",
    ].filter(Boolean);
    const words = [
      el("b", {}, `${number(check.pass)} of ${number(base)} pass`),
      more.length ? `, ${more.join(", ")}` : "",
    ];
    return barRow(
      "check",
      id,
      check.name,
      [
        ["pass", check.pass],
        ["fail", check.fail],
        ["unknown", check.unknown],
      ],
      most,
      words,
    );
  });
  return panel(
    "Checks",
    "Passed of applicable runs. One run can fail several checks: they overlap and do not add up.",
    el("ul", { class: "bars" }, rows),
    legend(["pass", "pass"], ["fail", "fail"], ["unknown", "unknown"]),
  );
}

function diagnosesPanel() {
  if (!report.diagnoses.length) return null;
  const most = Math.max(...report.diagnoses.map((diagnosis) => diagnosis.runs));
  const rows = report.diagnoses.map(({ name, runs, tone }, id) => {
    filter.name("diagnosis", id, name);
    const share = `${((100 * runs) / report.rows).toFixed(1)} %`;
    return barRow("diagnosis", id, name, [[tone, runs]], most, [
      el("b", {}, number(runs)),
      el("span", { class: "quiet" }, ` ${share}`),
    ]);
  });
  return panel(
    "Diagnoses",
    `A partition: every run is in exactly one, and they add up to ${plural(report.rows, "run")}.`,
    el("ul", { class: "bars" }, rows),
    legend(["pass", "passed"], ["fail", "failed"], ["unknown", "not judged"]),
  );
}

function layersPanel() {
  if (!report.layers.length) return null;
  const most = Math.max(...report.layers.map((layer) => layer.invalid));
  const rows = report.layers.map((layer, id) => {
    filter.name("layer", id, `falsely accepted by ${layer.name}`);
    const more = [
      layer.valid ? `rejects ${number(layer.false_rejections)} of ${number(layer.valid)} valid` : "",
      layer.unknown ? `accepts ${number(layer.accepted_unknown)} of ${number(layer.unknown)} unknown` : "",
    ].filter(Boolean);
    const accepted = layer.false_acceptances;
    const words = [
      el("b", {}, `accepts ${number(accepted)} of ${number(layer.invalid)} invalid`),
      more.length ? `, ${more.join(", ")}` : "",
    ];
    return barRow(
      "layer",
      id,
      layer.name,
      [
        ["fail", accepted],
        ["pass", layer.invalid - accepted],
      ],
      most,
      words,
    );
  });
  return panel(
    "Layers",
    "What each layer alone would let through. Valid or invalid by the reviewed label where there is one, else by the verdict.",
    el("ul", { class: "bars" }, rows),
    legend(["fail", "invalid, accepted: a false acceptance"], ["pass", "invalid, not accepted"]),
  );
}

function labelsPanel() {
  const { agree, disagree, unlabelled } = report.labels;
  if (!agree && !disagree) return null;
  const rows = [
    ["agree", agree, "pass"],
    ["disagree", disagree, "fail"],
  ].map(([name, count, tone]) => {
    filter.name("label", name, `labels that ${name}`);
    return barRow(
      "label",
      name,
      `${name} with the verdict`,
      [[tone, count]],
      agree + disagree,
      el("b", {}, number(count)),
    );
  });
  return panel(
    "Labels",
    `Reviewed by people, against the verdict. ${plural(unlabelled, "run")} without a label.`,
    el("ul", { class: "bars" }, rows),
  );
}

function trialsPanel() {
  if (!report.trials) return null;
  const { rule, k, torn, more } = report.trials;
  return panel(
    "Trials",
    `Cases that ran more than once; ${rule === "all" ? "all runs of a case must pass" : "one passing run of a case is enough"}. pass^k: all of k runs pass; pass@k: at least one does.`,
    table(
      ["k", "pass^k", "pass@k", "cases"],
      k.map(([at, cases, hat, pass]) => [number(at), hat, pass, number(cases)]),
      "numbers",
    ),
    torn.length
      ? el(
          "details",
          {},
          el("summary", {}, `${plural(torn.length + more, "case")} of which some runs pass`),
          el(
            "ul",
            { class: "plain" },
            torn.map(([id, passed, n, at]) =>
              el(
                "li",
                {},
                text(id, "name"),
                ` ${passed} of ${n} runs pass, ${at === null ? "with the same calls" : `they part at call ${at}`}`,
              ),
            ),
          ),
          more ? el("p", { class: "quiet" }, `and ${plural(more, "case")} more`) : null,
        )
      : null,
  );
}

const FEW_SIGNATURES = 12;

function signaturesPanel() {
  const kinds = report.signatures;
  if (!kinds.length) return null;
  const most = kinds[0].runs;
  const tones = new Map(report.diagnoses.map(({ name, tone }) => [name, tone]));
  const rows = kinds.map((kind, id) => {
    filter.name("signature", id, kind.text);
    const line = filter.button(
      "signature",
      id,
      "signature",
      el("b", { class: "count" }, number(kind.runs)),
      el("span", { class: "quiet share" }, `${kind.share.toFixed(1)} %`),
      bar([[tones.get(kind.diagnosis), kind.runs]], most),
      code(kind.text, "name"),
      el("span", { class: "quiet example" }, text(kind.diagnosis), " · first ", text(kind.first)),
    );
    return el("li", { hidden: id >= FEW_SIGNATURES }, line);
  });
  const list = el("ol", { class: "signatures" }, rows);
  const all = el(
    "button",
    {
      type: "button",
      class: "link",
      click: () => {
        rows.forEach((row) => {
          row.hidden = false;
        });
        all.remove();
      },
    },
    `Show all ${number(rows.length)}`,
  );
  const [left, runs] = report.more_signatures;
  return panel(
    "Signatures",
    `What is wrong, largest first: a dozen kinds are quicker to work through than every run.${report.summary ? "" : " Choose one to see its runs."}`,
    list,
    rows.length > FEW_SIGNATURES ? all : null,
    left ? el("p", { class: "quiet" }, `and ${number(left)} more, of ${plural(runs, "run")}`) : null,
  );
}

function problemsPanel() {
  if (!report.problems.length && !report.skipped) return null;
  const rows = report.problems.map((problem) => [
    el(
      "span",
      {
        class: `pill ${problem.severity === "error" ? "fail" : problem.severity === "warning" ? "unknown" : ""}`,
      },
      problem.severity,
    ),
    code(problem.code),
    text(problem.line === null ? problem.path : `${problem.path}:${problem.line}`),
    text(problem.message),
  ]);
  return panel(
    "Problems",
    `Lines and rows of the input that were not used, or need a look.${report.skipped ? ` ${plural(report.skipped, "input line")} could not be used.` : ""}`,
    rows.length ? table(["severity", "code", "place", "problem"], rows, "problems") : null,
    report.more_problems
      ? el("p", { class: "quiet" }, `and ${number(report.more_problems)} more (all of them in --format json)`)
      : null,
  );
}

function table(heads, rows, className) {
  return el(
    "table",
    { class: className },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((head) => el("th", { scope: "col" }, head)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          {},
          row.map((cell) => el("td", {}, cell)),
        ),
      ),
    ),
  );
}
