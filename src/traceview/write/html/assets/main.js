// The page put together: the toolbar, the keys, paper.

function toolbar() {
  const field = el("input", {
    type: "search",
    id: "words",
    "aria-label": "Filter by words: case, title, tools, diagnosis, signature, finding",
    placeholder: "Filter: case, title, tool, finding …",
    autocomplete: "off",
    spellcheck: "false",
    input: () => {
      filter.words = field.value;
      runs.show();
      toolbarWords();
    },
  });
  const verdicts = report.verdicts.flatMap(([name, count], id) => {
    filter.name("verdict", id, LOOKS[name][1]);
    return count
      ? [
          filter.button(
            "verdict",
            id,
            `chip ${LOOKS[name][2]}`,
            sign(LOOKS[name][0]),
            LOOKS[name][1],
            el("b", {}, number(count)),
          ),
        ]
      : [];
  });
  byId("toolbar").append(
    el(
      "div",
      { class: "line" },
      field,
      el("div", { class: "chips", role: "group", "aria-label": "Verdict" }, verdicts),
      menu(
        "Diagnosis",
        "diagnosis",
        report.diagnoses.map(({ name, runs: count }) => [name, count]),
      ),
      menu(
        "Failed check",
        "check",
        report.checks.map(({ name, fail }) => [name, fail]),
      ),
    ),
    el(
      "div",
      { class: "line" },
      el("p", { id: "count", role: "status" }),
      el("div", { class: "chips", id: "chosen", role: "group", "aria-label": "Filters that are on" }),
    ),
  );
  filter.changed = () => {
    field.value = filter.words;
    runs.show();
    toolbarWords();
  };
}

function menu(title, group, entries) {
  if (!entries.length) return null;
  const buttons = entries.map(([name, count], id) =>
    filter.button(group, id, "chip", text(name), el("b", {}, number(count))),
  );
  const node = el(
    "details",
    { class: "menu" },
    el("summary", {}, title),
    el("div", { class: "sheet", role: "group", "aria-label": title }, buttons),
  );
  node.addEventListener("focusout", (event) => {
    if (event.relatedTarget !== null && !node.contains(event.relatedTarget)) node.open = false;
  });
  return node;
}

// How many of how many, and by which filter.
function toolbarWords() {
  const { found, all } = runs;
  byId("count").textContent = filter.active
    ? `${number(found.length)} of ${plural(all.length, "run")} shown`
    : plural(all.length, "run");
  const chips = GROUPS.flatMap((group) =>
    [...filter.chosen[group]].map((id) => {
      const name = filter.names.get(`${group} ${id}`);
      return el(
        "button",
        {
          type: "button",
          class: "chip on",
          "aria-label": `Remove the filter ${name}`,
          click: () => filter.toggle(group, id),
        },
        el("span", { class: "quiet" }, `${group} `),
        text(name),
        el("span", { "aria-hidden": "true", class: "cross" }, "×"),
      );
    }),
  );
  if (filter.active)
    chips.push(el("button", { type: "button", class: "link", click: () => filter.clear() }, "Show all runs"));
  byId("chosen").replaceChildren(...chips);
}

// Keys as on the screen of traceview; typing into a field triggers none but Escape.
function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input") !== null;
  if (event.key === "Escape") {
    const open = document.querySelector(".menu[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    } else if (filter.active) filter.clear();
  } else if (typing) {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      moveTo(byId("body").querySelector(".open"));
      event.preventDefault();
    }
  } else if (event.key === "/") {
    byId("words").focus();
    byId("words").select();
    event.preventDefault();
  } else if (event.key === "j" || event.key === "k") {
    moveBy(event.key === "j" ? 1 : -1);
  } else if (event.target.matches(".open") && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    moveBy(event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
  }
}

function moveBy(step) {
  const buttons = [...byId("body").querySelectorAll(".open")];
  const at = buttons.indexOf(document.activeElement);
  if (at === buttons.length - 1 && step === 1 && !byId("more").hidden) {
    runs.more(STEP);
    moveBy(step);
    return;
  }
  moveTo(at < 0 ? buttons[0] : buttons[at + step]);
}

function moveTo(button) {
  button?.focus();
  button?.scrollIntoView({ block: "nearest" });
}

header();
overview();
if (report.summary) {
  document.querySelector(".skip").remove();
} else {
  runs.all = data("rows").map(Row);
  byId("kept-note").textContent = keptNote(data("kept"));
  toolbar();
  heads();
  runs.show();
  toolbarWords();
  byId("runs").hidden = false;
  byId("more").addEventListener("click", () => runs.more(STEP));
  byId("nothing-clear").addEventListener("click", () => filter.clear());
  document.addEventListener("keydown", keys);
  document.addEventListener("click", (event) => {
    for (const open of document.querySelectorAll(".menu[open]"))
      if (!open.contains(event.target)) open.open = false;
  });
  new IntersectionObserver(
    ([entry]) => {
      if (entry.isIntersecting && !byId("more").hidden) runs.more(STEP);
    },
    { rootMargin: "800px" },
  ).observe(byId("more"));
  addEventListener("beforeprint", () => {
    const most = Math.min(PRINTED, runs.found.length);
    if (runs.drawn < most) runs.more(most - runs.drawn);
  });
}
document.title = `${report.contract ? `${report.contract.name}: ` : ""}${document.title}`;
