// The script of a suite's page: a table of cases, and the page of one case (#case=NAME).
const xtest = (() => {
  const { answerCard, badge, conversation, differenceRows, link, make, textBox } = parts;
  const BATCH = 200;
  const NAME = 0, TITLE = 1, TAGS = 2, VERDICTS = 3, GROUP = 4;
  const byId = (id) => document.getElementById(id);
  const waiting = new Map();  // number of a file of details: what to call with its entries
  const loaded = new Map();
  let data, found = [], built = 0;

  const caseHash = (name) => `#case=${encodeURIComponent(name)}`;

  const badgeOf = (number) => (number < 0 ? make("span", "quiet", "-") : badge(...data.verdicts[number]));

  // The table.

  const named = (name) => data.verdicts.findIndex(([each]) => each === name);
  const isFailure = (number) => number >= 0 && data.verdicts[number][1].startsWith("bad ");
  const FILTERS = {
    "": ["all cases", () => true],
    failed: ["failed by some", (row) => row[VERDICTS].some(isFailure)],
    apart: ["passed by some, failed by some", (row) => row[VERDICTS].some(isFailure) && row[VERDICTS].includes(named("passed"))],
    none: ["passed by none", (row) => !row[VERDICTS].includes(named("passed"))],
    skipped: ["not claimed by some", (row) => row[VERDICTS].includes(named("skipped"))],
  };

  function filterOf(value) {
    if (value in FILTERS) return FILTERS[value][1];
    const subject = Number(value);
    return (row) => isFailure(row[VERDICTS][subject]);
  }

  function showTable(parameters) {
    byId("q").value = parameters.get("q") || "";
    byId("show").value = parameters.get("show") || "";
    const words = byId("q").value.toLowerCase().split(/\s+/).filter(Boolean);
    const passes = filterOf(byId("show").value);
    found = data.cases.filter((row) => {
      const text = `${row[NAME]} ${row[TITLE]} ${row[TAGS]} ${row[GROUP]}`.toLowerCase();
      return passes(row) && words.every((word) => text.includes(word));
    });
    built = 0;
    byId("rows").replaceChildren();
    byId("count").textContent = `${found.length.toLocaleString("en")} of ${data.cases.length.toLocaleString("en")} cases`;
    showMore();
  }

  function showMore() {
    const next = found.slice(built, built + BATCH);
    byId("rows").append(...next.flatMap((row, at) => {
      const name = make("th", "", link(row[NAME], caseHash(row[NAME])), row[TITLE] ? make("span", "title", row[TITLE]) : "");
      name.scope = "row";
      const line = make("tr", "", name, ...row[VERDICTS].map((number) => make("td", "", badgeOf(number))));
      const before = found[built + at - 1];
      return row[GROUP] === (before ? before[GROUP] : "") ? [line] : [groupLine(row[GROUP]), line];
    }));
    built += next.length;
    byId("more").hidden = built >= found.length;
  }

  function groupLine(group) {
    const heading = make("th", "group", group);
    heading.colSpan = data.subjects.length + 1;
    heading.scope = "rowgroup";
    return make("tr", "", heading);
  }

  function write() {
    const parameters = new URLSearchParams();
    for (const id of ["q", "show"]) if (byId(id).value) parameters.set(id, byId(id).value);
    history.replaceState(null, "", `#${parameters}`);
    showTable(parameters);
  }

  // A case.

  function details(index, use) {
    const number = Math.floor(index / data.per), entry = (entries) => use(entries[index % data.per]);
    if (loaded.has(number)) return entry(loaded.get(number));
    waiting.set(number, entry);
    const script = make("script");
    script.src = `${document.body.dataset.folder}/${number}.js`;
    document.head.append(script);
  }

  function showCase(name) {
    const index = data.cases.findIndex((row) => row[NAME] === name), box = byId("case");
    if (index < 0) return box.replaceChildren(make("p", "problem", `There is no case ${name}.`));
    box.replaceChildren();
    details(index, (entry) => box.replaceChildren(...caseParts(index, entry)));
  }

  function* caseParts(index, [[, description, page], tags, texts, answers]) {
    const row = data.cases[index];
    const name = `${data.suite}/${row[NAME]}`;
    yield make("h2", "", row[TITLE] ? `${name}: ${row[TITLE]}` : name);
    const near = make("p", "near", link("all cases", "#"));
    if (index) near.append(link("previous", caseHash(data.cases[index - 1][NAME])));
    if (index + 1 < data.cases.length) near.append(link("next", caseHash(data.cases[index + 1][NAME])));
    yield near;
    if (row[GROUP]) yield make("p", "quiet", row[GROUP]);
    if (description) yield make("p", "", description);
    if (/^https?:/.test(page)) yield make("p", "", link(page, page));
    else if (page) yield make("p", "", page);
    if (tags.length) yield make("p", "quiet", `Tags: ${tags.join(", ")}`);
    for (const [label, text] of texts) yield* [make("h3", "", label), textBox(text)];
    yield make("h3", "", "Answers");
    yield make("div", "answers", ...row[VERDICTS].map((number, subject) => answer(subject, number, answers[subject] || {})));
  }

  function folded(title, content) {
    return make("details", "", make("summary", "", title), content);
  }

  function answer(subject, number, { m: message, o: output, k: known, x: command, r: rows, h: expected, c: messages }) {
    const differences = rows ? [differenceRows(rows, expected)] : [];
    const more = messages ? [folded("Conversation", conversation(messages))] : [];
    return answerCard(data.subjects[subject], badgeOf(number), { known, message, output, command }, ...differences, ...more);
  }

  function route() {
    const parameters = new URLSearchParams(location.hash.slice(1)), name = parameters.get("case");
    byId("case").hidden = name === null;
    byId("table").hidden = name !== null;
    if (name === null) showTable(parameters);
    else showCase(name);
  }

  // Keys, as in the report: j and k move through the table, or from case to case.

  function move(step) {
    const name = new URLSearchParams(location.hash.slice(1)).get("case");
    if (name !== null) {
      const next = data.cases[data.cases.findIndex((row) => row[NAME] === name) + step];
      if (next) location.hash = caseHash(next[NAME]);
      return;
    }
    const links = [...byId("rows").querySelectorAll("th > a")];
    const place = links.indexOf(document.activeElement);
    links[place < 0 ? 0 : place + step]?.focus();
  }

  function pressed(event) {
    const isTyping = /^(input|select)$/i.test(event.target.tagName);
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping) return;
    if (event.key === "/" && !byId("table").hidden) byId("q").focus();
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else return;
    event.preventDefault();
  }

  return {
    suite(value) {
      data = value;
      byId("heading").append(...["case", ...data.subjects].map((text) => make("th", "", text)));
      byId("show").append(...Object.entries(FILTERS).map(([key, [label]]) => new Option(label, key)));
      byId("show").append(...data.subjects.map((name, at) => new Option(`failed by ${name}`, at)));
      byId("filter").addEventListener("input", write);
      byId("filter").addEventListener("submit", (event) => event.preventDefault());
      byId("more").addEventListener("click", showMore);
      addEventListener("hashchange", route);
      addEventListener("keydown", pressed);
      route();
    },
    details([number, entries]) {
      loaded.set(number, entries);
      waiting.get(number)?.(entries);
      waiting.delete(number);
    },
  };
})();
