// The script of the report: filters the list of runs and builds their details from embedded JSON.
(() => {
  const { answerCard, badge, button, commandLine, conversation, differenceRows, formatNumber, link, make, textBox } = parts;
  const BATCH = 200;
  const FEW = 10;  // failures, shown without their kinds, the first one open; and runs without a filter
  const KINDS = 8;
  const OPENED = 50;  // runs that one link opens
  const PRINTED = 30;  // runs of a printed page with their details
  const SUITE = 0, SUBJECT = 1, CASE = 2, DELIVERY = 3, VERDICT = 4, MS = 5, OUTCOME = 6, DETAIL = 7;
  const KNOWN = 1, FAILED = 2, SKIPPED = 5;  // outcomes from FAILED up to SKIPPED are unexpected
  const MEANING = 2;  // of the facts about a verdict
  const STDERR = "Standard error";
  const PASSED_NOTE = "Passed. Only failures keep their output.";
  const UNEXPECTED = "unexpected";

  const byId = (id) => document.getElementById(id);
  const json = (id) => JSON.parse(byId(id).textContent);
  const form = byId("filter");
  if (!form) return;
  // On a phone, the first failure would begin below the first screen.
  if (matchMedia("(max-width: 44rem)").matches) document.querySelector(".about").open = false;

  const names = json("names"), runs = json("data"), pictures = json("pictures");
  const kinds = json("kinds-data"), kindNames = kinds.map(([verdict, message]) => (verdict ? `${verdict}: ${message}` : message));
  const list = byId("runs"), more = byId("more"), shown = byId("shown"), showAll = byId("all");
  const fields = ["q", "verdict", "suite", "subject", "delivery", "sort", "view", "kind"];
  const filtering = fields.filter((field) => field !== "sort" && field !== "view");
  const severalSubjects = names.subjects.length > 1;
  const PASSED = names.verdicts.indexOf("passed");

  // Keys of runs, as links to them carry.

  const caseOf = (run) => `${names.suites[run[SUITE]]}/${run[CASE]}`;
  const ofSubject = (run) => `${caseOf(run)}@${names.subjects[run[SUBJECT]]}`;

  function withDelivery(key, run) {
    const delivery = names.deliveries[run[DELIVERY]];
    return delivery === "plain" ? key : `${key}!${delivery}`;
  }

  function keyOf(run) {
    return withDelivery(severalSubjects ? ofSubject(run) : caseOf(run), run);
  }

  // Other keys of a run, most exact first; without a subject or a delivery they match several runs.
  const LOOSER = [
    (run) => withDelivery(ofSubject(run), run), (run) => withDelivery(caseOf(run), run), ofSubject, caseOf,
  ];

  const searchTexts = [];
  function searchText(index) {
    if (searchTexts[index] === undefined) {
      const run = runs[index], detail = run[DETAIL] || {};
      searchTexts[index] = [keyOf(run), badgeOf(run), whyOf(run, detail), detail.m, ...(detail.i || []), ...(detail.t || [])].join("\n").toLowerCase();
    }
    return searchTexts[index];
  }

  // The badge of a run, and its message in one line.

  const isKnown = (run) => run[OUTCOME] === KNOWN;
  const isUnexpected = (run) => run[OUTCOME] >= FAILED && run[OUTCOME] < SKIPPED;
  const isUnexpectedPass = (run) => run[OUTCOME] === FAILED && run[VERDICT] === PASSED;
  const badgeOf = (run) => (isKnown(run) ? "known" : names.verdicts[run[VERDICT]]);
  const [unexpectedPass, unexpectedPassNote] = names.unexpected_pass;
  // The choice of the filter that selects a run: known failures and unexpected passes have their own.
  const choiceOf = (run) => (isUnexpectedPass(run) ? unexpectedPass : badgeOf(run));

  function badgeFor(run) {
    const [name, colour, meaning, icon] = names.facts[run[VERDICT]];
    if (isKnown(run)) return badge("known", "known", meaning, names.known_icon);
    return badge(name, isUnexpectedPass(run) ? "bad" : colour, meaning, icon);
  }

  function whyOf(run, { m: message, k: listed }) {
    if (isKnown(run) && listed) return `${names.verdicts[run[VERDICT]]}: ${listed[0]}`;
    if (isUnexpectedPass(run) && listed) {
      return `${unexpectedPassNote}${listed[3] ? ` from ${listed[3]}` : ""} (${listed[0]})`;
    }
    return message || "";
  }

  // The filter, and its state in the URL.

  const hasUnexpected = runs.some(isUnexpected);
  const initial = { q: "", verdict: hasUnexpected ? UNEXPECTED : "", suite: "", subject: "", delivery: "", sort: "", view: "", kind: "" };
  let selected = [], built = 0, table = null;  // `selected` are indices of runs, or rows of the table

  function fill(id, first, values) {
    const select = byId(id);
    select.append(...first.map(([value, label]) => new Option(label, value)));
    select.append(...values.map((value) => new Option(value, value)));
    select.parentElement.hidden = first.length + values.length < 3;
  }

  function count(matches) {
    return runs.reduce((sum, run) => sum + matches(run), 0);
  }

  function setUpFilter() {
    const first = [["", `all (${formatNumber(runs.length)})`]];
    if (hasUnexpected) first.push([UNEXPECTED, `unexpected (${formatNumber(count(isUnexpected))})`]);
    const known = count(isKnown);
    if (known) first.push(["known", `known failures (${formatNumber(known)})`]);
    fill("verdict", first, []);
    [unexpectedPass, ...names.verdicts].forEach((verdict) => {
      const number = count((run) => choiceOf(run) === verdict);
      if (number) byId("verdict").append(new Option(`${verdict} (${formatNumber(number)})`, verdict));
    });
    byId("verdict").parentElement.hidden = false;
    fill("suite", [["", "all suites"]], names.suites);
    fill("subject", [["", "all subjects"]], names.subjects);
    fill("delivery", [["", "all deliveries"]], names.deliveries);
    fill("sort", [["", "by name"], ["time", "slowest first"]], []);
    byId("sort").parentElement.hidden = false;
    fill("view", [["", "a list"], ["table", "a table"]], []);
    byId("view").parentElement.hidden = !severalSubjects;
    form.hidden = runs.length <= FEW;
  }

  function state() {
    return Object.fromEntries(fields.map((field) => [field, byId(field).value]));
  }

  function read() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const wanted = parameters.get("run");
    // A link to a run without a filter must not hide the run.
    const some = filtering.some((field) => parameters.has(field));
    const base = some || wanted !== null ? { ...initial, verdict: "" } : initial;
    for (const field of fields) {
      const value = parameters.get(field) ?? base[field], element = byId(field);
      element.value = value;
      if (element.value !== value) element.value = "";
    }
    if (wanted !== null) byId("view").value = "";
    apply();
    if (wanted !== null) open(wanted);
  }

  // A choice is a step back in the browser's history, a character of a search is none.
  function write(isStep) {
    const now = state(), parameters = new URLSearchParams();
    if (fields.some((field) => now[field] !== initial[field])) {
      for (const field of fields) if (now[field]) parameters.set(field, now[field]);
      if (!filtering.some((field) => parameters.has(field))) parameters.set("verdict", now.verdict);
    }
    const keep = isStep ? "pushState" : "replaceState";
    history[keep](null, "", `#${parameters}`);
  }

  function matcher({ q, verdict, suite, subject, delivery }) {
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    const at = (table, value) => (value === "" ? -1 : table.indexOf(value));
    const [suiteAt, subjectAt, deliveryAt] = [at(names.suites, suite), at(names.subjects, subject), at(names.deliveries, delivery)];
    return (index) => {
      const run = runs[index];
      if (suiteAt >= 0 && run[SUITE] !== suiteAt) return false;
      if (subjectAt >= 0 && run[SUBJECT] !== subjectAt) return false;
      if (deliveryAt >= 0 && run[DELIVERY] !== deliveryAt) return false;
      if (verdict === UNEXPECTED ? !isUnexpected(run) : verdict && choiceOf(run) !== verdict) return false;
      return words.every((word) => searchText(index).includes(word));
    };
  }

  function apply() {
    const now = state(), found = runs.map((_, index) => index).filter(matcher(now));
    const kind = kindNames.indexOf(now.kind);
    showKinds(found, kind);
    const chosen = kind < 0 ? found : found.filter((index) => kindOf(runs[index]) === kind);
    if (now.sort === "time") chosen.sort((one, other) => runs[other][MS] - runs[one][MS]);
    table = now.view === "table" ? cases.show(chosen, now.sort === "") : null;
    show(chosen);
  }

  // Kinds of failures among the runs that match the other fields.

  const kindOf = (run) => run[DETAIL]?.g;

  function showKinds(found, pressedKind) {
    const counts = new Map(pressedKind < 0 ? [] : [[pressedKind, 0]]);
    let all = 0;
    for (const kind of found.map((index) => kindOf(runs[index]))) {
      if (kind === undefined) continue;
      counts.set(kind, (counts.get(kind) || 0) + 1);
      all += 1;
    }
    const box = byId("kinds"), sorted = [...counts].sort(([, one], [, other]) => other - one);
    box.hidden = pressedKind < 0 && (all <= FEW || counts.size === all);
    box.replaceChildren();
    if (box.hidden) return;
    const first = sorted.filter(([kind], place) => place < KINDS || kind === pressedKind);
    box.append(...first.map(([kind, count]) => make("li", "", kindButton(kind, count, kind === pressedKind))));
    const left = sorted.length - first.length;
    const others = all - first.reduce((sum, [, count]) => sum + count, 0);
    if (left) box.append(make("li", "rest", `and ${formatNumber(others)} in ${formatNumber(left)} other ${left === 1 ? "way" : "ways"}`));
  }

  function kindButton(kind, count, pressed) {
    const [verdict, message] = kinds[kind];
    const number = names.verdicts.indexOf(verdict);
    const [name, colour, meaning, icon] = names.facts[number] || ["", "", "", ""];
    const mark = name ? badge(name, number === PASSED ? "bad" : colour, meaning, icon) : make("span", "");
    const element = button(make("b", "", formatNumber(count)), () => {
      byId("kind").value = pressed ? "" : kindNames[kind];
      changed(true);
      [...byId("kinds").querySelectorAll("button")].find((one) => one.dataset.kind === String(kind))?.focus();
    });
    element.append(mark, make("span", "", message));
    element.dataset.kind = kind;
    element.setAttribute("aria-pressed", String(pressed));
    return element;
  }

  function show(which) {
    selected = table ? table.rows : which;
    built = 0;
    list.replaceChildren();
    shown.textContent = `${formatNumber(which.length)} of ${formatNumber(runs.length)} shown`;
    if (table) shown.textContent = `${formatNumber(selected.length)} ${selected.length === 1 ? "case" : "cases"} with ${shown.textContent.replace(" shown", " runs")}`;
    showAll.hidden = which.length === runs.length;
    if (!which.length) list.append(make("p", "nothing", "No runs match the filter."));
    else if (table) list.append(table.frame);
    grow(BATCH);
  }

  function grow(number) {
    const upTo = Math.min(selected.length, built + number);
    (table ? table.body : list).append(...selected.slice(built, upTo).map(table ? cases.rowFor : item));
    built = upTo;
    more.hidden = built === selected.length;
    more.textContent = `Show more (${formatNumber(selected.length - built)} left)`;
  }

  // A single run is opened within the list; several runs may be far apart, so only they are shown.
  function open(wanted) {
    const found = matching(wanted);
    if (!found.length) {
      shown.textContent += `; no run is named ${wanted}`;
      return;
    }
    if (found.length > 1) {
      show(found);
      shown.textContent += `: ${wanted}`;
    }
    const first = selected.indexOf(found[0]);
    if (first >= built) grow(first + 1 - built);
    const elements = [...list.children].slice(first, first + Math.min(found.length, OPENED));
    for (const element of elements) unfold(element);
    elements[0].scrollIntoView({ block: "start" });
    elements[0].firstElementChild.focus({ preventScroll: true });
  }

  function matching(wanted) {
    for (const key of [keyOf, ...LOOSER]) {
      const found = selected.filter((index) => key(runs[index]) === wanted);
      if (found.length) return found;
    }
    return [];
  }

  function unfold(element) {
    element.open = true;
    build(element);
  }

  // One run: a line, and its details when it is open.

  function qualifiersOf(run) {
    const points = run[DETAIL]?.p ? `${run[DETAIL].p} points` : "", delivery = names.deliveries[run[DELIVERY]];
    const qualifiers = [severalSubjects ? names.subjects[run[SUBJECT]] : "", delivery === "plain" ? "" : delivery, points];
    return qualifiers.filter(Boolean);
  }

  // The column of names is as wide as the longest one.
  function setNameWidth() {
    const longest = runs.reduce((most, run) => Math.max(most, [caseOf(run), ...qualifiersOf(run)].join(" ").length), 12);
    list.style.setProperty("--who", `${longest + 1}ch`);
  }

  function item(index) {
    const run = runs[index], detail = run[DETAIL] || {};
    const who = make("span", "who", caseOf(run));
    for (const name of qualifiersOf(run)) who.append(" ", make("small", "", name));
    const summary = make("summary", "", badgeFor(run), who,
      make("span", "why", whyOf(run, detail)), make("span", "ms", run[MS] ? `${formatNumber(run[MS])} ms` : ""));
    const element = make("details", "run", summary);
    element.dataset.index = index;
    element.addEventListener("toggle", () => build(element));
    return element;
  }

  function build(element) {
    if (!element.open || element.children.length > 1) return;
    const run = runs[element.dataset.index], detail = run[DETAIL] || {};
    const body = make("div", "body");
    if (detail.m) body.append(make("p", "message", detail.m), make("p", "note", `${names.verdicts[run[VERDICT]]}: ${names.facts[run[VERDICT]][MEANING]}`));
    else if (!detail.k) body.append(make("p", "note", PASSED_NOTE));
    if (detail.i) body.append(...detail.i.filter(Boolean).map((text) => make("p", "", text)));
    if (detail.k) body.append(known(run, detail.k));
    if (detail.l) body.append(make("p", "note", `Used more than half of a limit: ${detail.l}`));
    if (detail.d) body.append(make("p", "note", `Deliveries: ${detail.d}`));
    if (detail.c) body.append(heading("Conversation"), conversation(detail.c));
    if (detail.r) body.append(heading(differencesTitle(detail)), differenceRows(detail.r, detail.h));
    if (detail.w) body.append(make("p", "note", detail.w));
    if (detail.b) body.append(heading("Boards"), boards(detail.b));
    if (detail.s) body.append(streams(detail.s));
    if (detail.x) body.append(heading("Rerun"), command(detail.x));
    body.append(ending(run, detail));
    element.append(body);
  }

  // The card of a run in the table, and what the runs of its case share.

  function cardFor(index, subject) {
    const run = runs[index], detail = run[DETAIL] || {}, printed = streamOf(detail, "Printed");
    const message = whyOf(run, detail) || (run[VERDICT] === PASSED ? PASSED_NOTE : "");
    const more = detail.c ? [conversation(detail.c)] : detail.r ? [differenceRows(detail.r, detail.h)] : printed ? [streamBox(printed)] : [];
    const card = answerCard(subject, badgeFor(run), { message }, ...more);
    card.append(ending(run, {}));
    return card;
  }

  function sharedParts(indices) {
    const details = indices.map((index) => runs[index][DETAIL] || {});
    const info = details.find((detail) => detail.i)?.i || [];
    const shared = ["Input", "Expected output"].map((name) => details.map((detail) => streamOf(detail, name)).find(Boolean));
    return [...info.filter(Boolean).map((text) => make("p", "", text)), streams(shared.filter(Boolean))];
  }

  const streamOf = (detail, name) => (detail.s || []).find((stream) => stream[0] === name);

  function heading(text) {
    return make("h3", "", text);
  }

  function known(run, [reason, link, holds]) {
    const verdict = names.verdicts[run[VERDICT]];
    const how = isUnexpectedPass(run) ? "it passed" : "it failed in another way";
    const label = holds ? `Known failure (${verdict}): ` : `Listed as a known failure, but ${how}: `;
    const note = make("p", "known-note", label, reason);
    if (/^https?:\/\//i.test(link)) {
      const anchor = make("a", "", link);
      anchor.href = link;
      anchor.rel = "noreferrer noopener";
      note.append(", ", anchor);
    } else if (link) note.append(`, ${link}`);
    return note;
  }

  function differencesTitle(detail) {
    if (detail.n === 1) return "Difference";
    return `Differences: ${formatNumber(detail.n)}`;
  }

  // A row per group: its pictures stand side by side.
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
    // As an image, SVG runs no script and loads no resource.
    const image = make("img");
    image.alt = `Picture of the value: ${side}`;
    const frame = button(image, () => frame.setAttribute("aria-pressed", String(figure.classList.toggle("large"))));
    frame.title = "Enlarge or shrink";
    frame.setAttribute("aria-pressed", "false");
    image.addEventListener("error", () => frame.replaceWith(make("p", "note", "no picture: the browser cannot show the SVG")));
    image.src = `data:image/svg+xml;base64,${pictures[number]}`;
    return frame;
  }

  function streams(all) {
    const shelf = make("div", "streams");
    for (const [name, text, bytes, note] of all) {
      const title = bytes ? `${name}, ${formatNumber(bytes)} ${bytes === 1 ? "byte" : "bytes"}${note ? ` (${note})` : ""}` : name;
      shelf.append(make("div", "", heading(title), streamBox([name, text, bytes, note])));
    }
    return shelf;
  }

  function streamBox([name, text, , note]) {
    return textBox(text, { isJson: name !== STDERR, isCut: note !== "" });
  }

  function command(line) {
    return make("div", "command", make("pre", "", commandLine(line)), button("Copy", (clicked) => copy(line, clicked)));
  }

  function copy(text, clicked) {
    const done = (label) => {
      clicked.textContent = label;
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
    const address = link("Link to this run", `#${new URLSearchParams({ run: keyOf(run) })}`);
    const tags = (detail.t || []).map((tag) => make("span", "tag", tag));
    return make("p", "ending", ...(detail.e || []).map((fact) => make("span", "", fact)), ...tags, address);
  }

  // Keys.

  function move(step) {
    const all = [...list.querySelectorAll(table ? "tbody tr.case button[tabindex='0']" : ".run > summary")];
    const near = document.activeElement;
    const focused = table ? all.find((one) => near.closest?.("tr")?.contains(one)) : near.closest?.(".run")?.firstElementChild;
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
      changed(false);
      return;
    }
    if (/^(input|select|textarea)$/i.test(event.target.tagName)) return;
    if (event.key === "/") byId("q").focus();
    else if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else return;
    event.preventDefault();
  }

  function changed(isStep) {
    write(isStep);
    apply();
  }

  function reset() {
    for (const field of filtering) byId(field).value = "";
    changed(true);
  }

  const cases = caseTable({ names, runs, caseOf, badgeFor, cardFor, sharedParts });
  setUpFilter();
  setNameWidth();
  read();
  if (!location.hash && !table && hasUnexpected && selected.length <= FEW) unfold(list.firstElementChild);
  form.addEventListener("input", (event) => changed(event.target !== byId("q")));
  form.addEventListener("submit", (event) => event.preventDefault());
  showAll.addEventListener("click", reset);
  more.addEventListener("click", () => grow(BATCH));
  addEventListener("hashchange", read);
  addEventListener("keydown", pressed);
  // The printed page has the runs that match the filter, up to a limit, and the first ones open.
  addEventListener("beforeprint", () => {
    grow(2000);
    for (const element of [...list.querySelectorAll(".run")].slice(0, PRINTED)) unfold(element);
  });
  new IntersectionObserver((seen) => {
    if (seen.some((one) => one.isIntersecting) && !more.hidden) grow(BATCH);
  }, { rootMargin: "600px" }).observe(more);
})();
