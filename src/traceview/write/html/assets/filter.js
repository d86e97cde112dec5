// What is shown: words that are looked for, and choices. Choices of one group are joined by "or", groups by
// "and". Buttons that make the same choice all show it.

const GROUPS = ["verdict", "diagnosis", "check", "signature", "layer", "label"];

const filter = {
  words: "",
  chosen: Object.fromEntries(GROUPS.map((group) => [group, new Set()])),
  buttons: [], // {node, group, id, shown}
  names: new Map(), // "group id" -> how a choice is called
  changed: () => {},

  get active() {
    return this.words.trim() !== "" || GROUPS.some((group) => this.chosen[group].size > 0);
  },

  toggle(group, id) {
    const chosen = this.chosen[group];
    if (!chosen.delete(id)) chosen.add(id);
    this.changed();
  },

  clear() {
    this.words = "";
    for (const group of GROUPS) this.chosen[group].clear();
    this.changed();
  },

  name(group, id, words) {
    this.names.set(`${group} ${id}`, words);
  },

  // A button for a choice; `shown` is where the number of shown runs is said while the filter is active.
  button(group, id, className, ...children) {
    if (report.summary) return el("div", { class: className }, children);
    const shown = el("span", { class: "shown" });
    const chip = className.startsWith("chip");
    const node = el(
      "button",
      { type: "button", class: className, "aria-pressed": "false", click: () => this.toggle(group, id) },
      chip
        ? [children.slice(0, -1), el("span", { class: "number" }, shown, children.at(-1))]
        : [children, shown],
    );
    this.buttons.push({ node, group, id, shown, chip });
    return node;
  },

  // The rows that match, in their order.
  apply(rows) {
    const tests = queryTests(this.words);
    const groups = GROUPS.filter((group) => this.chosen[group].size > 0);
    return rows.filter(
      (row) =>
        groups.every((group) => row[group].some((id) => this.chosen[group].has(id))) &&
        tests.every(({ needle, without }) => folded(row).includes(needle) !== without),
    );
  },

  // Every button says whether it is chosen, and how many of the shown rows are its.
  mark(rows) {
    const counts = new Map();
    for (const row of this.active ? rows : []) {
      for (const group of GROUPS) {
        for (const id of row[group]) counts.set(`${group} ${id}`, (counts.get(`${group} ${id}`) ?? 0) + 1);
      }
    }
    for (const { node, group, id, shown, chip } of this.buttons) {
      node.setAttribute("aria-pressed", String(this.chosen[group].has(id)));
      const count = counts.get(`${group} ${id}`) ?? 0;
      shown.textContent = !this.active ? "" : chip ? `${number(count)} / ` : `${number(count)} shown`;
      node.classList.toggle("none", this.active && count === 0);
    }
  },
};

// Words in quotes hold together, a dash in front turns a word round; all else is text as it stands.
function queryTests(words) {
  const found = words.match(/-?"[^"]*"?|\S+/g) ?? [];
  return found
    .map((word) => {
      const without = word.length > 1 && word.startsWith("-");
      const bare = without ? word.slice(1) : word;
      return { needle: fold(bare.replace(/^"|"$/g, "")), without };
    })
    .filter(({ needle }) => needle !== "");
}

// Without regard to case and Unicode form.
function fold(words) {
  return words.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

// What words are looked for in, made when it is first needed.
function folded(row) {
  row.folded ??= fold(
    [
      row.caseId,
      row.run,
      row.title,
      report.diagnoses[row.diagnosis[0]].name,
      row.reviewed,
      row.reason,
      row.mark,
      row.signature[0] === undefined ? "" : report.signatures[row.signature[0]].text,
      ...row.tools.map((tool) => report.tools[tool]),
    ].join("\n"),
  );
  return row.folded;
}
