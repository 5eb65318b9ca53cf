// Parts that the scripts of the pages share. Text is only ever set as text; no string becomes markup.
"use strict";
const parts = (() => {
  const LINE = 44;  // characters of a value that stays on one line
  const INDENT = 2, DEEPEST = 40;
  const TOKENS = /"(?:[^"\\\n]|\\.)*(?:"|$)|[[\]{}:,]|[^\s"[\]{}:,]+/g;
  const SCALAR = /^(?:"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)$/;
  const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
  const UNITS = /("(?:[^"\\\n]|\\.)*"?|(?<=\/)[^\s"/]+)/;
  const formatNumber = (number) => number.toLocaleString("en");

  // Elements.

  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children.filter((child) => child !== null && child !== "")
      .flatMap((child) => (typeof child === "string" ? nodesOf(child) : [child])));
    return element;
  }

  // The nodes of a text, marked from one index to another. Each string and each step of a path that is
  // written from right to left has an element of its own; otherwise a browser would swap neighbours,
  // such as a key and its value.
  function nodesOf(text, start = 0, end = 0) {
    let index = 0;
    const pieces = RIGHT_TO_LEFT.test(text) ? text.split(UNITS) : [text];
    return pieces.flatMap((piece, number) => {
      const nodes = marked(piece, Math.max(start - index, 0), Math.max(end - index, 0));
      index += piece.length;
      if (number % 2 === 0 || !RIGHT_TO_LEFT.test(piece)) return nodes;
      const element = document.createElement("bdi");
      element.append(...nodes);
      return [element];
    });
  }

  function marked(text, start, end) {
    const differing = text.slice(start, end);
    if (!differing) return [text];
    const mark = document.createElement("mark");
    mark.append(differing);
    return [text.slice(0, start), mark, text.slice(end)];
  }

  function button(content, action) {
    const element = make("button", "", content);
    element.type = "button";
    element.addEventListener("click", () => action(element));
    return element;
  }

  function link(text, address) {
    const element = make("a", "", text);
    element.href = address;
    return element;
  }

  function icon(path) {
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
    const line = document.createElementNS(space, "path");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    line.setAttribute("d", path);
    svg.append(line);
    return svg;
  }

  function badge(name, className, meaning, path) {
    const element = make("span", `badge ${className}`, path ? icon(path) : "", make("span", "name", name));
    element.title = meaning || "";
    return element;
  }

  // JSON, with its numbers and strings as they were printed.

  const isOpening = (token) => token === "[" || token === "{";
  const isClosing = (token) => token === "]" || token === "}";
  const isSeparator = (token) => token === "," || token === ":";

  // The tokens of JSON values with the widths of their arrays and objects, or null for other text.
  function tokensOf(text, isCut) {
    const tokens = [], open = [];
    if (/\S/.test(text.replace(TOKENS, ""))) return null;
    for (const { 0: token, index } of text.matchAll(TOKENS)) {
      const last = tokens.at(-1)?.token || ",", isValue = !isClosing(token) && !isSeparator(token);
      const isEnd = isCut && index + token.length === text.length;
      if (isValue && !isOpening(token) && !SCALAR.test(token) && !isEnd) return null;
      // Without a comma between them, two values of an array would be joined.
      if (open.length ? isValue && !isOpening(last) && !isSeparator(last) : isSeparator(token)) return null;
      const one = { token, width: token.length + Number(isSeparator(token)), depth: open.length };
      if (isClosing(token)) {
        const start = open.pop();
        if (start?.token !== (token === "]" ? "[" : "{")) return null;
        one.depth = open.length;
        one.width = start.width += 1;
      }
      if (isOpening(token)) open.push(one);
      else if (open.length) open.at(-1).width += one.width;
      tokens.push(one);
    }
    if (open.length && !isCut) return null;
    for (const start of open) start.width = Infinity;
    return tokens;
  }

  // JSON with a line for each element, unless an array or object fits a line; other text unchanged.
  function indented(text, isCut) {
    const tokens = tokensOf(text, isCut) || [];
    const lineAt = (depth) => `\n${" ".repeat(INDENT * Math.min(depth, DEEPEST))}`;
    let flat = -1;  // the depth of the array or object on a line, if any
    const pieces = tokens.map(({ token, width, depth }, at) => {
      const gap = token === ":" ? " " : "";
      if (flat >= 0) {
        if (isClosing(token) && depth === flat) flat = -1;
        return token + (token === "," ? " " : gap);
      }
      if (isClosing(token)) return lineAt(depth) + token;
      const before = !depth && at ? "\n" : "";
      if (!isOpening(token)) return before + token + (token === "," ? lineAt(depth) : gap);
      if (width > LINE) return before + token + lineAt(depth + 1);
      flat = depth;
      return before + token;
    });
    return pieces.join("") || text;
  }

  // Boxes of text.

  // A box with a text, indented if it is JSON; a clipped box has a button that shows all of it.
  function textBox(text, { isJson = true, isCut = false } = {}) {
    const lines = (one) => one.split("\n").length;
    const tidy = isJson ? indented(text, isCut) : text, readable = lines(tidy) > lines(text) ? tidy : text;
    const box = make("pre", "", readable || "(nothing)"), tools = make("p", "tools"), frame = make("div", "box", box, tools);
    box.tabIndex = 0;
    if (readable !== text) tools.append(toggle("Raw", "Raw", (isRaw) => { box.replaceChildren(...nodesOf(isRaw ? text : readable)); }));
    const whole = toggle("Show all", "Show less", (isWhole) => frame.classList.toggle("whole", isWhole));
    whole.hidden = true;
    tools.append(whole);
    // Its size is known when it is laid out.
    new ResizeObserver(() => {
      if (frame.classList.contains("whole") || !box.clientHeight) return;
      whole.hidden = box.scrollHeight <= box.clientHeight + 1;
      frame.classList.toggle("clipped", !whole.hidden);
    }).observe(box);
    return frame;
  }

  function toggle(label, pressedLabel, change) {
    const element = button(label, () => {
      const isPressed = element.getAttribute("aria-pressed") !== "true";
      element.setAttribute("aria-pressed", String(isPressed));
      element.textContent = isPressed ? pressedLabel : label;
      change(isPressed);
    });
    element.setAttribute("aria-pressed", "false");
    return element;
  }

  // Differences, as the page has them as rows.

  const MARKS = { same: "", changed: "|", missing: "<", extra: ">", folded: "" };

  function differenceRows(all, expected) {
    const table = make("div", "rows", make("div", "row head",
      make("span", "left", expected), make("span", "mark", ""), make("span", "right", "printed"), make("span", "place", "")));
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

  function cell(className, depth, content) {
    const element = make("span", className);
    if (content === "") return element;
    element.style.paddingLeft = `${0.6 + Math.min(depth, 12)}rem`;
    const [before, differing, after] = typeof content === "string" ? [content, "", ""] : content;
    element.append(...nodesOf(before + differing + after, before.length, before.length + differing.length));
    return element;
  }

  // A dialogue in two columns: what xtest sent, and what the program sent.
  function conversation(all) {
    const table = make("table", "talk");
    table.append(make("tr", "", make("th", "", "s"), make("th", "", "step"), make("th", "", "xtest"), make("th", "", "program")));
    for (const [time, step, text, note, isSent, failed] of all) {
      const message = make("td", "", text ? make("code", "", text) : "", note ? make("small", "", text ? ` (${note})` : note) : "");
      const sides = isSent ? [message, make("td", "")] : [make("td", ""), message];
      table.append(make("tr", failed ? "failed" : "", make("td", "", time), make("td", "", step), ...sides));
    }
    return table;
  }

  // A command, broken at spaces: browsers also break after each hyphen, as in "--subject".
  function commandLine(text) {
    return make("code", "", ...text.split(/( )/).map((word) => word === " " ? word : make("span", "word", word)));
  }

  // The answer of a subject to a case, beside those of others.
  function answerCard(subject, mark, { known, message, output, command }, ...more) {
    const card = make("div", "answer", make("p", "", make("b", "", subject), " ", mark));
    if (known) card.append(make("p", "known", `Known failure: ${known}`));
    if (message) card.append(make("p", "", message));
    card.append(...more);
    if (output !== undefined) card.append(textBox(output));
    if (command) card.append(make("p", "quiet", commandLine(command)));
    return card;
  }

  return { answerCard, badge, button, commandLine, conversation, differenceRows, formatNumber, link, make, textBox };
})();
