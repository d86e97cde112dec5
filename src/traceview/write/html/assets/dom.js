// The one way in which anything gets onto the page: elements by name, and every text as a text node.

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""),
  );
  return node;
}

// Text from data among other words: its direction (Hebrew, Arabic) stays its own.
function text(words, className) {
  return words === "" ? null : el("bdi", { class: className }, words);
}

function code(words, className) {
  return el("code", { class: className, dir: "auto" }, words);
}

function number(count) {
  return count.toLocaleString("en");
}

function plural(count, noun) {
  return `${number(count)} ${count === 1 ? noun : `${noun}s`}`;
}

// A block of data of this page; null where there is none.
function data(id) {
  const block = document.getElementById(id);
  return block && JSON.parse(block.textContent);
}

const report = data("report");
const byId = (id) => document.getElementById(id);

// What a verdict looks like: a sign, a word and a tone (which gives the colour).
const LOOKS = {
  pass: ["✓", "pass", "pass"],
  fail: ["✗", "fail", "fail"],
  unknown: ["?", "unknown", "unknown"],
  no_trace: ["∅", "no trace", "unknown"],
  unusable: ["#", "unusable", "unknown"],
  unreviewed: ["·", "not judged", ""],
  accept: ["✓", "accepts", "pass"],
  reject: ["✗", "rejects", "fail"],
  "n/a": ["·", "does not apply", ""],
};

function sign(mark, word) {
  return el("span", { class: "sign", "aria-hidden": "true", title: word }, mark);
}

function verdictPill(verdict) {
  const [mark, word, tone] = LOOKS[verdict];
  return el("span", { class: `pill ${tone}` }, sign(mark), word);
}

// A bar of parts [tone, count], drawn on a base that all bars of a panel share.
function bar(parts, base) {
  const node = el("span", { class: "bar", "aria-hidden": "true" });
  for (const [tone, count] of parts) {
    if (!count) continue;
    const part = el("span", { class: `part ${tone}` });
    part.style.width = `${(100 * count) / Math.max(1, base)}%`;
    node.append(part);
  }
  return node;
}
