// The table of cases and subjects of the report, whose cells open the answers side by side.
"use strict";
const caseTable = ({ names, runs, caseOf, badgeFor, cardFor, sharedParts }) => {
  const { button, make } = parts;
  const SUBJECT = 1, VERDICT = 4;
  const PASSED = names.verdicts.indexOf("passed");
  const columns = names.subjects.length + 1;
  const cases = new Map();  // the index of each subject's run, or undefined

  // Of several deliveries, the first cause counts, as in the matrix.
  const rank = (index) => (runs[index][VERDICT] === PASSED ? Infinity : runs[index][VERDICT]);

  runs.forEach((run, index) => {
    const name = caseOf(run), cells = cases.get(name) || [], other = cells[run[SUBJECT]];
    if (other === undefined || rank(index) < rank(other)) cells[run[SUBJECT]] = index;
    cases.set(name, cells);
  });

  function rowFor(name) {
    const row = make("tr", "case"), head = make("th", "", name), cells = cases.get(name);
    head.scope = "row";
    row.append(head, ...names.subjects.map((subject, at) => {
      if (cells[at] === undefined) return make("td", "quiet", "-");
      const cell = button(badgeFor(runs[cells[at]]), () => flip(row, cell, cells, at));
      cell.setAttribute("aria-expanded", "false");
      cell.setAttribute("aria-label", `${name}, ${subject}: ${cell.textContent}`);
      return make("td", "", cell);
    }));
    // One stop of the tab key in each row; arrow keys lead to the others.
    [...row.querySelectorAll("button")].forEach((cell, at) => { cell.tabIndex = at ? -1 : 0; });
    row.addEventListener("keydown", (event) => walk(event, row));
    return row;
  }

  function walk(event, row) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], all = [...row.querySelectorAll("button")];
    const next = step && all[all.indexOf(document.activeElement) + step];
    if (!next) return;
    event.preventDefault();
    for (const cell of all) cell.tabIndex = cell === next ? 0 : -1;
    next.focus();
  }

  // A cell opens all answers to its case; the same cell closes them, another one marks its answer.
  function flip(row, cell, cells, at) {
    const isOpen = cell.getAttribute("aria-expanded") === "true";
    for (const one of row.querySelectorAll("button")) one.setAttribute("aria-expanded", "false");
    if (row.nextElementSibling?.className === "sides") row.nextElementSibling.remove();
    if (isOpen) return;
    cell.setAttribute("aria-expanded", "true");
    row.after(sidesOf(cells, at));
  }

  function sidesOf(cells, at) {
    const shelf = make("div", "answers"), found = cells.filter((index) => index !== undefined);
    cells.forEach((index, subject) => {
      const card = cardFor(index, names.subjects[subject]);
      card.classList.toggle("current", subject === at);
      shelf.append(card);
    });
    const all = make("td", "", make("div", "beside", ...sharedParts(found), shelf));
    all.colSpan = columns;
    return make("tr", "sides", all);
  }

  // An empty table, and the cases of these runs: by name, or in the order of the runs.
  function show(which, isByName) {
    const rows = [...new Set(which.map((index) => caseOf(runs[index])))];
    if (isByName) rows.sort(new Intl.Collator("en", { numeric: true }).compare);
    const heading = make("tr", "", ...["case", ...names.subjects].map((text) => make("th", "", text)));
    for (const cell of heading.children) cell.scope = "col";
    const body = make("tbody", ""), table = make("table", "matrix cases", make("thead", "", heading), body);
    const frame = make("div", "scroll", table);
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", "Cases and subjects");
    return { frame, body, rows };
  }

  return { rowFor, show };
};
