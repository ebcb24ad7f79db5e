// The analysis of the position that is shown.

import { markMoves } from "/board.js";
import { send } from "/connection.js";
import { chanceOf, element, find, valueText } from "/dom.js";

let table = null;
let report = null;
let isOn = false;

export function start() {
  find("analyse").onclick = toggle;
  find("engine").onchange = () => isOn && request();
}

export function toggle() {
  turn(!isOn);
  request();
}

// The engine that analyses, null if none does.
export function engine() {
  return isOn ? find("engine").value : null;
}

function turn(on) {
  isOn = on;
  find("analyse").setAttribute("aria-pressed", String(on));
  find("analyse").textContent = on ? "Stop" : "Analyse";
  find("report").hidden = !on;
}

function request() {
  report = null;
  showReport();
  send({ do: "analyse", engine: engine() });
}

// Begin anew with another game; the server has forgotten the analysis.
export function enter(game) {
  turn(false);
  report = null;
  find("engine").replaceChildren(...game.engines.map(([value, text]) => element("option", { value }, text)));
}

export function show(shown) {
  table = shown;
  if (report && (report.at[0] !== table.variation || report.at[1] !== table.ply)) report = null;
  showReport();
}

export function take(message) {
  if (!isOn || !table || message.at[0] !== table.variation || message.at[1] !== table.ply) return;
  report = message;
  showReport();
}

function showReport() {
  const best = report?.moves[0];
  markMoves("report", best ? [{ hotspots: best.hotspots, arrow: best.arrow, name: "best" }] : []);
  const status = find("report-status");
  if (!report) {
    const reason = table?.turn < 0 ? "The game is over here." : "Thinking\u2026";
    status.textContent = table && !table.can_analyse && table.turn >= 0 ? "This position cannot be analysed: it would tell what is hidden." : reason;
    find("report-moves").tBodies[0].replaceChildren();
    find("report-line").textContent = "";
    find("value-bar").replaceChildren();
    return;
  }
  if (!report.moves.length) return;
  const simulates = report.engine !== "alphabeta";
  const facts = [`${table.seats[table.turn].name}'s chance ${valueText(report.value, table.seats.length)}${report.proven ? " (proven)" : ""}`, `depth ${report.depth}`, `${(report.nodes ?? 0).toLocaleString("en")} ${simulates ? "simulations" : "nodes"}`, `${report.seconds.toFixed(1)} s`];
  status.textContent = facts.join(", ") + (report.running ? "" : ". Finished.");
  find("report-line").textContent = report.line.length ? `Expected: ${report.line.join(" ")}` : "";
  showBar(report.values);
  find("report-moves").classList.toggle("no-visits", report.moves[0].visits === null);
  find("report-moves").classList.toggle("no-policy", !report.has_policy);
  const most = Math.max(1, ...report.moves.map((move) => move.visits ?? 0));
  find("report-moves").tBodies[0].replaceChildren(...report.moves.map((move) => row(move, most)));
}

function showBar(values) {
  const chances = values.map((value) => Math.max(0, chanceOf(value, values.length)));
  const total = chances.reduce((sum, each) => sum + each, 0) || 1;
  const shares = chances.map((chance) => Math.round((100 * chance) / total));
  const bar = find("value-bar");
  bar.setAttribute("aria-label", shares.map((share, seat) => `${table.seats[seat].name} ${share}%`).join(", "));
  bar.replaceChildren(
    ...shares.map((share, seat) => {
      const part = element("span", { title: `${table.seats[seat].name} ${share}%` }, share > 14 ? `${table.seats[seat].name} ${share}%` : "");
      const colour = table.seats[seat].colour;
      part.style.width = `${share}%`;
      part.style.background = `var(--tz-${colour})`;
      part.style.color = colour === "gold" ? "var(--tz-yellow_ink)" : `var(--tz-${colour}_ink)`;
      return part;
    }),
  );
}

function row(move, most) {
  const bar = element("span", { className: "bar" });
  bar.style.width = `${(100 * (move.visits ?? 0)) / most}%`;
  const line = element(
    "tr",
    {},
    element("th", { scope: "row" }, table.can_play ? element("button", { type: "button", onclick: () => send({ do: "play", move: move.move, variation: table.variation, ply: table.ply }) }, move.move) : move.move),
    element("td", {}, valueText(move.value, table.seats.length)),
    element("td", { className: "visits" }, bar, element("span", {}, move.visits === null ? "" : move.visits.toLocaleString("en"))),
    element("td", {}, move.policy === null ? "" : `${(100 * move.policy).toFixed(1)}%`),
  );
  const mark = () => markMoves("report", [{ hotspots: move.hotspots, arrow: move.arrow, name: "best" }]);
  line.onmouseenter = mark;
  line.onfocus = mark;
  return line;
}
