/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
/* Shows the rows that the page carries as data (farm_html.c says how they are packed). Texts reach the page only as text
   nodes. Only the rows in sight are elements, so that 160,000 of them scroll. */
(() => {
  const HEIGHT = 28, PRINTED = 1000;
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const { texts, words, results, shapes, node, gcd } = data;
  const nodes = node.name.length;

  const make = (tag, name, ...children) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...children);
    return element;
  };

  /* --- what the columns hold --- */

  const first = new Uint32Array(nodes + 1);
  for (let i = 0; i < nodes; i++) first[i + 1] = first[i] + shapes[node.shape[i]].length;
  const gcds = first[nodes], owner = new Uint32Array(gcds), workers = new Uint16Array(nodes);
  for (let i = 0; i < nodes; i++) {
    owner.fill(i, first[i], first[i + 1]);
    for (let g = first[i]; g < first[i + 1]; g++) workers[i] += results[gcd.result[g]][3];
  }

  const place = (g) => shapes[node.shape[owner[g]]][g - first[owner[g]]];
  const result = (g) => results[gcd.result[g]];
  const hex = (base64) => [...atob(base64.replace(/-/g, "+").replace(/_/g, "/"))]
    .map((c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  const uid = (g) => {
    const part = gcd.uid.slice(g * 11, g * 11 + 11);
    return !part || part[0] === "!" ? "" : "0x" + hex(part);
  };
  const digest = (n) => {
    const part = node.sha.slice(n * 43, n * 43 + 43);
    return !part || part[0] === "!" ? "" : hex(part);
  };
  const mark = (n) => (node.source[n] === 1 ? "SIMULATED " : "");
  const sign = (word) => (word === "accepted" || word === "qualified" ? "\u2713 " :
    word === "inconclusive" || word === "not-run" || word === "running" ? "? " : "\u2717 ") + word;
  const tone = (word) => (word === "accepted" || word === "qualified" ? "good" :
    word === "inconclusive" || word === "not-run" || word === "running" ? "open" : "bad");
  const about = (n, i) => texts[data.abouts[node.about[n]][i]];

  /* A column: its label, the text of a row, what it is sorted by (a number, or text by its rank), its class. */
  const VIEWS = {
    gcds: {
      count: gcds, owner: (g) => owner[g],
      columns: [
        { label: "node", text: (g) => mark(owner[g]) + node.name[owner[g]], key: (g) => nameRank()[owner[g]] },
        { label: "GCD", text: (g) => place(g)[0], key: (g) => place(g)[0] },
        { label: "target", text: (g) => place(g)[1] || "unknown", key: (g) => place(g)[1] },
        { label: "module", text: (g) => (place(g)[2] < 0 ? "unknown" : String(place(g)[2])), key: (g) => place(g)[2],
          class: "number" },
        { label: "verdict", text: (g) => sign(words[result(g)[0]]), key: (g) => words[result(g)[0]],
          tone: (g) => tone(words[result(g)[0]]) },
        { label: "rung", text: (g) => (result(g)[1] ? String(result(g)[1]) : ""), key: (g) => result(g)[1], class: "number" },
        { label: "s a frame", text: (g) => (gcd.seconds[g] === null ? "unknown" : String(gcd.seconds[g])),
          key: (g) => (gcd.seconds[g] === null ? Infinity : gcd.seconds[g]), class: "number" },
        { label: "evidence", text: (g) => texts[result(g)[2]], key: (g) => texts[result(g)[2]] },
      ],
    },
    nodes: {
      count: nodes, owner: (n) => n,
      columns: [
        { label: "node", text: (n) => mark(n) + node.name[n], key: (n) => nameRank()[n] },
        { label: "outcome", text: (n) => sign(words[node.outcome[n]]), key: (n) => words[node.outcome[n]],
          tone: (n) => tone(words[node.outcome[n]]) },
        { label: "workers", text: (n) => (node.source[n] ? String(workers[n]) : "unknown"),
          key: (n) => (node.source[n] ? workers[n] : -1), class: "number" },
        { label: "GCDs", text: (n) => (node.source[n] ? String(first[n + 1] - first[n]) : "unknown"),
          key: (n) => (node.source[n] ? first[n + 1] - first[n] : -1), class: "number" },
        { label: "Blender", text: (n) => about(n, 0), key: (n) => about(n, 0) },
        { label: "amdgpu", text: (n) => about(n, 2) || "unknown", key: (n) => about(n, 2) },
        { label: "ended", text: (n) => texts[node.ended[n]] || "unknown", key: (n) => texts[node.ended[n]] },
        { label: "why", text: (n) => texts[node.why[n]], key: (n) => texts[node.why[n]] },
      ],
    },
  };

  /* node9 before node10. */
  let ranks = null;
  const nameRank = () => {
    if (ranks) return ranks;
    const order = new Intl.Collator("en", { numeric: true }).compare;
    const sorted = [...new Set(node.name)].sort((a, b) => order(a, b) || (a < b ? -1 : 1));
    const rank = new Map(sorted.map((name, i) => [name, i]));
    ranks = node.name.map((name) => rank.get(name));
    return ranks;
  };

  /* --- which rows, in which order --- */

  const state = { view: "gcds", terms: [], outcome: "", verdict: "", source: "", column: -1, down: false, rows: [], at: 0 };

  /* A word of the search stands in the node's texts or in the GCD's; each text is looked at once, not once a row. */
  const finder = (term) => {
    const has = (text) => text.toLowerCase().includes(term);
    const inText = texts.map(has), inWord = words.map(has);
    const inResult = results.map((r) => inWord[r[0]] || inText[r[2]]);
    const inPlace = shapes.map((shape) => shape.map((p) => has(p[0]) || has(p[1])));
    const inNode = node.name.map((name, n) => has(name) || inWord[node.outcome[n]] || inText[node.why[n]] ||
      data.abouts[node.about[n]].some((t) => inText[t]) || (node.source[n] === 1 && "simulated".includes(term)));
    const asId = /^(0x)?[0-9a-f]{4,16}$/.test(term);
    const inGcd = (g) => inNode[owner[g]] || inResult[gcd.result[g]] || inPlace[node.shape[owner[g]]][g - first[owner[g]]] ||
      (asId && uid(g).includes(term));
    if (state.view === "gcds") return inGcd;
    return (n) => {
      if (inNode[n]) return true;
      for (let g = first[n]; g < first[n + 1]; g++) if (inGcd(g)) return true;
      return false;
    };
  };

  const filters = () => {
    const view = VIEWS[state.view], tests = state.terms.map(finder);
    const outcome = words.indexOf(state.outcome), verdict = words.indexOf(state.verdict);
    if (state.outcome) tests.push((r) => node.outcome[view.owner(r)] === outcome);
    if (state.source) tests.push((r) => node.source[view.owner(r)] === Number(state.source));
    if (state.verdict && state.view === "gcds") tests.push((r) => result(r)[0] === verdict);
    if (state.verdict && state.view === "nodes")
      tests.push((n) => {
        for (let g = first[n]; g < first[n + 1]; g++) if (result(g)[0] === verdict) return true;
        return false;
      });
    return tests;
  };

  const sortRows = (rows) => {
    const column = VIEWS[state.view].columns[state.column];
    if (!column) return rows;
    const keys = new Array(VIEWS[state.view].count), way = state.down ? -1 : 1;
    for (const row of rows) keys[row] = column.key(row);
    return rows.sort((a, b) => (keys[a] < keys[b] ? -way : keys[a] > keys[b] ? way : a - b));
  };

  const choose = () => {
    const tests = filters(), rows = [];
    for (let r = 0; r < VIEWS[state.view].count; r++) if (tests.every((test) => test(r))) rows.push(r);
    state.rows = sortRows(rows);
    state.at = 0;
  };

  /* --- the list --- */

  const grid = byId("grid"), body = make("div", "body"), head = make("div", "head"), status = byId("status");
  body.setAttribute("role", "rowgroup");
  head.setAttribute("role", "rowgroup");

  const cell = (column, row) => {
    const element = make("div", [column.class || "", column.tone ? column.tone(row) : ""].join(" ").trim(), column.text(row));
    element.setAttribute("role", "gridcell");
    element.title = column.text(row);
    return element;
  };

  const rowElement = (i) => {
    const element = make("div", "row " + state.view);
    element.setAttribute("role", "row");
    element.setAttribute("aria-rowindex", i + 2);
    element.setAttribute("aria-selected", i === state.at);
    element.id = "row" + i;
    element.style.top = i * HEIGHT + "px";
    element.append(...VIEWS[state.view].columns.map((column) => cell(column, state.rows[i])));
    element.addEventListener("click", () => { select(i); open(); });
    return element;
  };

  const paint = () => {
    const from = Math.max(0, Math.floor(grid.scrollTop / HEIGHT) - 8);
    const to = Math.min(state.rows.length, Math.ceil((grid.scrollTop + grid.clientHeight) / HEIGHT) + 8);
    body.replaceChildren();
    for (let i = from; i < to; i++) body.append(rowElement(i));
    if (state.at >= from && state.at < to) grid.setAttribute("aria-activedescendant", "row" + state.at);
    else grid.removeAttribute("aria-activedescendant");
  };

  const header = () => {
    const row = make("div", "row " + state.view);
    row.setAttribute("role", "row");
    row.append(...VIEWS[state.view].columns.map((column, i) => {
      const button = make("button", "", column.label + (i !== state.column ? "" : state.down ? " \u25bc" : " \u25b2"));
      const place = make("div", "", button);
      button.type = "button";
      place.setAttribute("role", "columnheader");
      place.setAttribute("aria-sort", i !== state.column ? "none" : state.down ? "descending" : "ascending");
      button.addEventListener("click", () => {
        state.down = i === state.column && !state.down;
        state.column = i;
        show();
        head.querySelectorAll("button")[i].focus();
      });
      return place;
    }));
    head.replaceChildren(row);
  };

  const show = () => {
    choose();
    header();
    grid.setAttribute("aria-rowcount", state.rows.length + 1);
    body.style.height = state.rows.length * HEIGHT + "px";
    grid.scrollTop = 0;
    status.textContent = (data.simulated ? "SIMULATED: " : "") + state.rows.length + " of " + VIEWS[state.view].count + " " +
      (state.view === "gcds" ? "GCDs" : "nodes");
    paint();
  };

  const select = (i) => {
    state.at = Math.max(0, Math.min(state.rows.length - 1, i));
    const top = state.at * HEIGHT, room = grid.clientHeight - 2 * HEIGHT;
    if (top < grid.scrollTop) grid.scrollTop = top;
    if (top > grid.scrollTop + room) grid.scrollTop = top - room;
    paint();
  };

  /* --- one node in full --- */

  const line = (name, text) => make("tr", "", make("th", "", name), make("td", "", text || "unknown"));

  const gcdTable = (n) => {
    const columns = VIEWS.gcds.columns.slice(1), table = make("table"), rows = make("tbody");
    table.append(make("thead", "", make("tr", "", ...columns.map((c) => make("th", "", c.label)), make("th", "", "unique id"))), rows);
    for (let g = first[n]; g < first[n + 1]; g++)
      rows.append(make("tr", "", ...[...columns.map((c) => [c.label, c.text(g), c.tone ? c.tone(g) : ""]),
        ["unique id", uid(g) || "unknown", ""]].map(([label, text, name]) => {
          const td = make("td", "", make("span", name, text));
          td.dataset.label = label;
          return td;
        })));
    return table;
  };

  const open = () => {
    if (!state.rows.length) return;
    const n = VIEWS[state.view].owner(state.rows[state.at]), table = make("table", "", make("tbody", "",
      line("outcome", words[node.outcome[n]]), line("why", texts[node.why[n]] || "nothing to say"),
      line("record", node.record[n]), line("SHA-256 of the record", digest(n)), line("Blender", about(n, 0)),
      line("oamqual", about(n, 1)), line("amdgpu driver", about(n, 2)), line("ROCm", about(n, 3)),
      line("ended", texts[node.ended[n]])));
    byId("detail").replaceChildren(make("h2", "", mark(n) + node.name[n]), table,
      ...(first[n + 1] > first[n] ? [gcdTable(n)] : []));
    byId("detail").hidden = false;
  };

  /* --- keys, tools, paper --- */

  const page = () => Math.max(1, Math.floor(grid.clientHeight / HEIGHT) - 2);
  const KEYS = {
    ArrowDown: () => select(state.at + 1), ArrowUp: () => select(state.at - 1),
    PageDown: () => select(state.at + page()), PageUp: () => select(state.at - page()),
    Home: () => select(0), End: () => select(state.rows.length - 1), Enter: open,
  };
  grid.addEventListener("keydown", (event) => {
    if (event.target !== grid || !KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    KEYS[event.key]();
    event.preventDefault();
  });
  grid.addEventListener("scroll", paint);
  window.addEventListener("resize", paint);

  const listen = (id, kind, change) => byId(id).addEventListener(kind, () => { change(byId(id).value); show(); });
  const options = (id, from) => byId(id).append(...from.map((word) => {
    const option = make("option", "", word);
    option.value = word;
    return option;
  }));
  options("outcome", [...new Set(node.outcome)].map((i) => words[i]).sort());
  options("verdict", [...new Set(results.map((r) => r[0]))].map((i) => words[i]).sort());
  listen("search", "input", (text) => { state.terms = text.toLowerCase().split(/\s+/).filter(Boolean); });
  listen("view", "change", (text) => { state.view = text; state.column = -1; state.down = false; });
  for (const id of ["outcome", "verdict", "source"]) listen(id, "change", (text) => { state[id] = text; });

  window.addEventListener("beforeprint", () => {
    const columns = VIEWS[state.view].columns, rows = make("tbody"), shown = state.rows.slice(0, PRINTED);
    for (const row of shown) rows.append(make("tr", "", ...columns.map((c) => make("td", c.tone ? c.tone(row) : "", c.text(row)))));
    byId("printed").replaceChildren(make("p", "", status.textContent + (shown.length < state.rows.length ?
      "; printed are the first " + PRINTED + ", filter the page for others" : "")),
      make("table", "", make("thead", "", make("tr", "", ...columns.map((c) => make("th", "", c.label)))), rows));
  });
  window.addEventListener("afterprint", () => byId("printed").replaceChildren());

  byId("tools").hidden = false;
  grid.hidden = false;
  grid.append(head, body);
  show();
})();
