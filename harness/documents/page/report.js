// The report's own script: filters the list and builds what is opened, from the JSON beside it.
// Whatever a program printed becomes text, by textContent; no markup is ever made of a string.
"use strict";
(() => {
  const BATCH = 200;
  const ENOUGH = 4;  // runs of which kinds are told
  const KINDS = 8;
  const OPENED = 50;  // runs that one address opens
  const SUITE = 0, SUBJECT = 1, CASE = 2, DELIVERY = 3, VERDICT = 4, MS = 5, OUTCOME = 6, DETAIL = 7;
  const KNOWN = 1, FAILED = 2;  // an outcome below FAILED is as it should be
  const TONES = ["good", "known", "bad", "odd"];
  const BROKEN = ["invalid-case", "harness-fault"];
  const TO_LOOK_AT = "to-look-at";

  const byId = (id) => document.getElementById(id);
  const json = (id) => JSON.parse(byId(id).textContent);
  const form = byId("filter");
  if (!form) return;

  const names = json("names"), runs = json("data"), pictures = json("pictures");
  const kinds = json("kinds-data"), kindNames = kinds.map(([verdict, said]) => (verdict ? `${verdict}: ${said}` : said));
  const list = byId("runs"), more = byId("more"), shown = byId("shown"), showAll = byId("all");
  const fields = ["q", "verdict", "suite", "subject", "delivery", "kind"];
  const severalSubjects = names.subjects.length > 1;
  const counted = (number) => number.toLocaleString("en");

  // Elements.

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  }

  function button(said, action) {
    const element = make("button", "", said);
    element.type = "button";
    element.addEventListener("click", () => action(element));
    return element;
  }

  // Runs by name: the text that a link to one carries.

  const caseOf = (run) => `${names.suites[run[SUITE]]}/${run[CASE]}`;
  const ofSubject = (run) => `${caseOf(run)}@${names.subjects[run[SUBJECT]]}`;

  function withDelivery(key, run) {
    const delivery = names.deliveries[run[DELIVERY]];
    return delivery === "plain" ? key : `${key}!${delivery}`;
  }

  function keyOf(run) {
    return withDelivery(severalSubjects ? ofSubject(run) : caseOf(run), run);
  }

  // What else leads to a run, the most exact first; without a subject or a delivery, to several.
  const LOOSER = [
    (run) => withDelivery(ofSubject(run), run), (run) => withDelivery(caseOf(run), run), ofSubject, caseOf,
  ];

  const hay = [];
  function haystack(index) {
    if (hay[index] === undefined) {
      const run = runs[index], detail = run[DETAIL] || {};
      hay[index] = [keyOf(run), badgeOf(run), whyOf(run, detail), detail.m, ...(detail.t || [])].join("\n").toLowerCase();
    }
    return hay[index];
  }

  // What a run is called and why, in a word and in a line.

  const isKnown = (run) => run[OUTCOME] === KNOWN;
  const badgeOf = (run) => (isKnown(run) ? "known" : names.verdicts[run[VERDICT]]);

  function whyOf(run, { m: message, k: listed }) {
    if (isKnown(run) && listed) return `${names.verdicts[run[VERDICT]]}: ${listed[0]}`;
    if (listed && run[OUTCOME] === FAILED && names.verdicts[run[VERDICT]] === "passed") return `but it is listed as a known failure: ${listed[0]}`;
    return message || "";
  }

  // The filter, and its state in the address.

  const needsALook = runs.some((run) => run[OUTCOME] >= FAILED);
  const usual = { q: "", verdict: needsALook ? TO_LOOK_AT : "", suite: "", subject: "", delivery: "", kind: "" };
  let chosen = [], built = 0;

  function fill(id, first, values) {
    const select = byId(id);
    select.append(...first.map(([value, said]) => new Option(said, value)));
    select.append(...values.map((value) => new Option(value, value)));
    select.parentElement.hidden = first.length + values.length < 3;
  }

  function tally(wanted) {
    return runs.reduce((sum, run) => sum + wanted(run), 0);
  }

  function prepare() {
    const first = [["", `all (${counted(runs.length)})`]];
    if (needsALook) first.push([TO_LOOK_AT, `to look at (${counted(tally((run) => run[OUTCOME] >= FAILED))})`]);
    const known = tally(isKnown);
    if (known) first.push(["known", `known failures (${counted(known)})`]);
    fill("verdict", first, []);
    names.verdicts.forEach((verdict, index) => {
      const number = tally((run) => run[VERDICT] === index && !isKnown(run));
      if (number) byId("verdict").append(new Option(`${verdict} (${counted(number)})`, verdict));
    });
    byId("verdict").parentElement.hidden = false;
    fill("suite", [["", "all suites"]], names.suites);
    fill("subject", [["", "all subjects"]], names.subjects);
    fill("delivery", [["", "all deliveries"]], names.deliveries);
    form.hidden = false;
  }

  function state() {
    return Object.fromEntries(fields.map((field) => [field, byId(field).value]));
  }

  function read() {
    const said = new URLSearchParams(location.hash.slice(1));
    const wanted = said.get("run");
    // A link to a run says nothing of a filter: it is not to hide it.
    const some = fields.some((field) => said.has(field));
    const base = some || wanted !== null ? { ...usual, verdict: "" } : usual;
    for (const field of fields) {
      const value = said.get(field) ?? base[field], element = byId(field);
      element.value = value;
      if (element.value !== value) element.value = "";
    }
    apply();
    if (wanted !== null) open(wanted);
  }

  function write() {
    const now = state(), said = new URLSearchParams();
    if (fields.some((field) => now[field] !== usual[field])) {
      for (const field of fields) if (now[field]) said.set(field, now[field]);
      if (![...said].length) said.set("verdict", "");
    }
    history.replaceState(null, "", `#${said}`);
  }

  function matcher({ q, verdict, suite, subject, delivery }) {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const at = (table, value) => (value === "" ? -1 : table.indexOf(value));
    const [inSuite, who, fed, got] = [
      at(names.suites, suite), at(names.subjects, subject), at(names.deliveries, delivery), at(names.verdicts, verdict),
    ];
    return (index) => {
      const run = runs[index];
      if (inSuite >= 0 && run[SUITE] !== inSuite) return false;
      if (who >= 0 && run[SUBJECT] !== who) return false;
      if (fed >= 0 && run[DELIVERY] !== fed) return false;
      if (verdict === TO_LOOK_AT && run[OUTCOME] < FAILED) return false;
      if (verdict === "known" && !isKnown(run)) return false;
      // What is known is counted as known alone.
      if (got >= 0 && (run[VERDICT] !== got || isKnown(run))) return false;
      return words.every((word) => haystack(index).includes(word));
    };
  }

  function apply() {
    const now = state(), found = runs.map((_, index) => index).filter(matcher(now));
    const kind = kindNames.indexOf(now.kind);
    tell(found, kind);
    show(kind < 0 ? found : found.filter((index) => kindOf(runs[index]) === kind));
  }

  // What went wrong alike, of that which the rest of the filter lets through.

  const kindOf = (run) => run[DETAIL]?.g;

  function tell(found, chosenKind) {
    const counts = new Map(chosenKind < 0 ? [] : [[chosenKind, 0]]);
    let all = 0;
    for (const kind of found.map((index) => kindOf(runs[index]))) {
      if (kind === undefined) continue;
      counts.set(kind, (counts.get(kind) || 0) + 1);
      all += 1;
    }
    const box = byId("kinds"), sorted = [...counts].sort(([, one], [, other]) => other - one);
    box.hidden = chosenKind < 0 && (all < ENOUGH || counts.size === all);
    box.replaceChildren();
    if (box.hidden) return;
    const first = sorted.filter(([kind], place) => place < KINDS || kind === chosenKind);
    box.append(...first.map(([kind, count]) => make("li", "", kindButton(kind, count, kind === chosenKind))));
    const left = sorted.length - first.length;
    const others = all - first.reduce((sum, [, count]) => sum + count, 0);
    if (left) box.append(make("li", "rest", `and ${counted(others)} in ${counted(left)} other ways`));
  }

  function kindButton(kind, count, pressed) {
    const [verdict, said] = kinds[kind];
    const number = names.verdicts.indexOf(verdict);
    const badge = make("span", number < 0 ? "" : `badge ${BROKEN.includes(verdict) ? "odd" : "bad"}`, verdict);
    const element = button(make("b", "", counted(count)), () => {
      byId("kind").value = pressed ? "" : kindNames[kind];
      changed();
      [...byId("kinds").querySelectorAll("button")].find((one) => one.dataset.kind === String(kind))?.focus();
    });
    badge.title = names.meanings[number] || "";
    element.append(badge, make("span", "", said));
    element.dataset.kind = kind;
    element.setAttribute("aria-pressed", String(pressed));
    return element;
  }

  function show(which) {
    chosen = which;
    built = 0;
    list.replaceChildren();
    shown.textContent = `${counted(chosen.length)} of ${counted(runs.length)} shown`;
    showAll.hidden = chosen.length === runs.length;
    if (!chosen.length) list.append(make("p", "nothing", "Nothing here matches the filter."));
    grow(BATCH);
  }

  function grow(number) {
    const upTo = Math.min(chosen.length, built + number);
    list.append(...chosen.slice(built, upTo).map(item));
    built = upTo;
    more.hidden = built === chosen.length;
    more.textContent = `Show more (${counted(chosen.length - built)} left)`;
  }

  // One run is opened among the others. Where the address means several, they stand far apart in
  // the list: they are shown by themselves.
  function open(wanted) {
    const found = called(wanted);
    if (!found.length) {
      shown.textContent += `; none is called ${wanted}`;
      return;
    }
    if (found.length > 1) {
      show(found);
      shown.textContent += `: ${wanted}`;
    }
    const first = chosen.indexOf(found[0]);
    if (first >= built) grow(first + 1 - built);
    const elements = [...list.children].slice(first, first + Math.min(found.length, OPENED));
    for (const element of elements) unfold(element);
    elements[0].scrollIntoView({ block: "start" });
    elements[0].firstElementChild.focus({ preventScroll: true });
  }

  function called(wanted) {
    for (const key of [keyOf, ...LOOSER]) {
      const found = chosen.filter((index) => key(runs[index]) === wanted);
      if (found.length) return found;
    }
    return [];
  }

  function unfold(element) {
    element.open = true;
    build(element);
  }

  // One run: a line, and below it, when it is opened, all there is to see.

  function besideOf(run) {
    const said = [severalSubjects ? names.subjects[run[SUBJECT]] : "", names.deliveries[run[DELIVERY]]];
    return said.filter((one) => one && one !== "plain");
  }

  // Names take what the longest one needs, the rest is for messages.
  function share() {
    const longest = runs.reduce((most, run) => Math.max(most, [caseOf(run), ...besideOf(run)].join(" ").length), 12);
    list.style.setProperty("--who", `${longest + 1}ch`);
  }

  function item(index) {
    const run = runs[index], detail = run[DETAIL] || {};
    const who = make("span", "who", caseOf(run));
    for (const said of besideOf(run)) who.append(" ", make("small", "", said));
    const badge = make("span", `badge ${TONES[run[OUTCOME]]}`, badgeOf(run));
    badge.title = names.meanings[run[VERDICT]];
    const summary = make("summary", "", badge, who,
      make("span", "why", whyOf(run, detail)), make("span", "ms", `${counted(run[MS])} ms`));
    const element = make("details", "run", summary);
    element.dataset.index = index;
    element.addEventListener("toggle", () => build(element));
    return element;
  }

  function build(element) {
    if (!element.open || element.children.length > 1) return;
    const run = runs[element.dataset.index], detail = run[DETAIL] || {};
    const body = make("div", "body");
    if (detail.m) body.append(make("p", "message", detail.m), make("p", "note", `${names.verdicts[run[VERDICT]]}: ${names.meanings[run[VERDICT]]}`));
    else if (!detail.k) body.append(make("p", "note", "Passed. Of what passed, no more is kept than this."));
    if (detail.k) body.append(known(run, detail.k));
    if (detail.d) body.append(make("p", "note", `Deliveries: ${detail.d}`));
    if (detail.r) body.append(heading(differencesSaid(detail)), rows(detail.r));
    if (detail.w) body.append(make("p", "note", detail.w));
    if (detail.b) body.append(heading("Boards"), boards(detail.b));
    if (detail.s) body.append(streams(detail.s));
    if (detail.x) body.append(heading("Repeat"), command(detail.x));
    body.append(ending(run, detail));
    element.append(body);
  }

  function heading(said) {
    return make("h3", "", said);
  }

  function known(run, [reason, link, holds]) {
    const said = holds ? `Known failure (${names.verdicts[run[VERDICT]]}): ` : "Listed as known, but not so: ";
    const note = make("p", "known-note", said, reason);
    if (/^https?:\/\//i.test(link)) {
      const anchor = make("a", "", link);
      anchor.href = link;
      anchor.rel = "noreferrer noopener";
      note.append(", ", anchor);
    } else if (link) note.append(`, ${link}`);
    return note;
  }

  function differencesSaid(detail) {
    if (detail.n === 1) return "Difference";
    return `Differences: ${counted(detail.n)}`;
  }

  const MARKS = { same: "", changed: "|", missing: "<", extra: ">", folded: "" };

  function rows(all) {
    const table = make("div", "rows", make("div", "row head",
      make("span", "left", "expected"), make("span", "mark", ""), make("span", "right", "printed"), make("span", "place", "")));
    for (const [mark, depth, left, right, place] of all) {
      const row = make("div", `row ${mark}`);
      if (mark === "folded") row.append(cell("cell", depth, left));
      else {
        row.append(cell("cell left", depth, left), make("span", "mark", MARKS[mark]), cell("cell right", depth, right));
        row.append(make("span", "cell place", place || ""));
      }
      table.append(row);
    }
    return table;
  }

  function cell(className, depth, said) {
    const element = make("span", className);
    if (said === "") return element;
    element.style.paddingLeft = `${0.6 + Math.min(depth, 12)}rem`;
    if (typeof said === "string") element.append(said);
    else element.append(said[0], said[1] ? make("mark", "", said[1]) : "", said[2]);
    return element;
  }

  // A row for each group: what belongs side by side stands side by side.
  function boards(all) {
    const wall = make("div", "");
    let shelf = null, last = null;
    for (const [side, at, number, note, group] of all) {
      if (group !== last) wall.append(shelf = make("div", "boards"));
      last = group;
      const figure = make("figure", "", make("figcaption", "", at ? `${side}, ${at}` : side));
      if (number >= 0) figure.append(picture(number, side, figure));
      else figure.append(make("p", "note", note));
      shelf.append(figure);
    }
    return wall;
  }

  function picture(number, side, figure) {
    // As an image, SVG runs no script and loads nothing.
    const image = make("img");
    image.alt = `Picture of the value: ${side}`;
    const frame = button(image, () => frame.setAttribute("aria-pressed", String(figure.classList.toggle("large"))));
    frame.title = "Larger, or smaller again";
    frame.setAttribute("aria-pressed", "false");
    image.addEventListener("error", () => frame.replaceWith(make("p", "note", "no picture: the renderer printed SVG that cannot be shown")));
    image.src = `data:image/svg+xml;base64,${pictures[number]}`;
    return frame;
  }

  function streams(all) {
    const shelf = make("div", "streams");
    for (const [name, text, bytes, note] of all) {
      const title = bytes ? `${name}, ${counted(bytes)} ${bytes === 1 ? "byte" : "bytes"}${note ? ` (${note})` : ""}` : name;
      const box = make("pre", "", bytes ? text : "(nothing)");
      box.tabIndex = 0;
      shelf.append(make("div", "", heading(title), box));
    }
    return shelf;
  }

  function command(line) {
    return make("div", "command", make("pre", "", line), button("Copy", (clicked) => copy(line, clicked)));
  }

  function copy(text, clicked) {
    const done = (said) => {
      clicked.textContent = said;
      setTimeout(() => { clicked.textContent = "Copy"; }, 1500);
    };
    const select = () => {
      getSelection().selectAllChildren(clicked.previousElementSibling);
      done(document.execCommand("copy") ? "Copied" : "Press Ctrl+C");
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => done("Copied"), select);
    else select();
  }

  function ending(run, detail) {
    const link = make("a", "", "Link to this");
    link.href = `#${new URLSearchParams({ run: keyOf(run) })}`;
    const tags = (detail.t || []).map((tag) => make("span", "tag", tag));
    return make("p", "ending", ...(detail.e || []).map((said) => make("span", "", said)), ...tags, link);
  }

  // Keys.

  function move(step) {
    const all = [...list.querySelectorAll(".run > summary")];
    const focused = document.activeElement.closest?.(".run")?.firstElementChild;
    let place = all.indexOf(focused) + step;
    if (!focused) place = 0;
    if (place >= all.length && !more.hidden) {
      grow(BATCH);
      move(step);
      return;
    }
    all[place]?.focus();
  }

  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape" && event.target === byId("q")) {
      event.target.value = "";
      changed();
      return;
    }
    if (/^(input|select|textarea)$/i.test(event.target.tagName)) return;
    if (event.key === "/") byId("q").focus();
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else return;
    event.preventDefault();
  }

  function changed() {
    write();
    apply();
  }

  function reset() {
    for (const field of fields) byId(field).value = "";
    changed();
  }

  prepare();
  share();
  read();
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  showAll.addEventListener("click", reset);
  more.addEventListener("click", () => grow(BATCH));
  addEventListener("hashchange", read);
  addEventListener("keydown", pressed);
  // What is printed is what the filter lets through, up to what a printer takes.
  addEventListener("beforeprint", () => grow(2000));
  new IntersectionObserver((seen) => {
    if (seen.some((one) => one.isIntersecting) && !more.hidden) grow(BATCH);
  }, { rootMargin: "600px" }).observe(more);
})();
