// The script of the history: filters the list of cases; the address has the filter.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const fields = ["q", "show"], rows = [...byId("all").children];
  const texts = rows.map((row) => row.querySelector(".name").textContent.toLowerCase());

  function apply() {
    const words = byId("q").value.toLowerCase().split(/\s+/).filter(Boolean), state = byId("show").value;
    rows.forEach((row, at) => {
      const hasState = !state || (row.dataset.state || "").split(" ").includes(state);
      row.hidden = !hasState || !words.every((word) => texts[at].includes(word));
    });
    const shown = rows.filter((row) => !row.hidden).length;
    byId("shown").textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown`;
  }

  function read() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    for (const field of fields) byId(field).value = parameters.get(field) || "";
    apply();
  }

  function write() {
    const set = fields.filter((field) => byId(field).value).map((field) => [field, byId(field).value]);
    history.replaceState(null, "", `#${new URLSearchParams(set)}`);
    apply();
  }

  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape" && event.target === byId("q")) {
      byId("q").value = "";
      write();
    } else if (event.key === "/" && !/^(input|select)$/i.test(event.target.tagName)) {
      byId("q").focus();
      event.preventDefault();
    }
  }

  byId("filter").hidden = false;
  byId("filter").addEventListener("input", write);
  byId("filter").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("keydown", pressed);
  addEventListener("hashchange", read);
  read();
})();
