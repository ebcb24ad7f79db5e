// The course of the game: moves, variations, steps, the curve of what agents expected.

import { chip, element, find, shape, valueText } from "/dom.js";
import { send } from "/connection.js";

let table = null;

export function go(ply, variation = table?.variation) {
  if (!table) return;
  const wanted = Math.max(0, Math.min(ply, table.variations[variation]));
  if (wanted !== table.ply || variation !== table.variation) send({ do: "go", variation, ply: wanted });
}

export const step = (by) => go(table.ply + by);
export const toEnd = () => go(table.plies);

export function start() {
  find("first").onclick = () => go(0);
  find("previous").onclick = () => step(-1);
  find("next").onclick = () => step(1);
  find("last").onclick = toEnd;
  find("moves").onclick = (event) => {
    const button = event.target.closest("[data-ply]");
    if (button) go(Number(button.dataset.ply));
  };
  find("curve").onclick = (event) => {
    const box = find("curve").getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width) * table.plies));
  };
}

export function show(shown) {
  table = shown;
  showVariations();
  showMoves();
  showCurve();
  for (const id of ["first", "previous"]) find(id).disabled = table.ply === 0;
  for (const id of ["next", "last"]) find(id).disabled = table.ply === table.plies;
  const move = table.moves[table.ply - 1];
  find("found").textContent = move?.found ? `${table.seats[move.seat].name} expected: ${move.found}` : "";
}

function showVariations() {
  const box = find("variations");
  box.hidden = table.variations.length < 2;
  box.replaceChildren(
    ...table.variations.map((plies, number) =>
      element("button", { type: "button", "aria-pressed": String(number === table.variation), onclick: () => go(plies, number) }, number ? `Variation ${number}` : "Main line", element("span", { className: "faint" }, ` ${plies}`)),
    ),
  );
}

function moveButton(ply, ...content) {
  const button = element("button", { type: "button" }, element("span", { className: "number" }, String(ply)), ...content);
  button.dataset.ply = ply;
  if (ply === table.ply) button.setAttribute("aria-current", "step");
  return element("li", {}, button);
}

function showMoves() {
  const rows = table.moves.map((move, index) => {
    const seat = table.seats[move.seat];
    const name = move.name ?? "hidden";
    const item = moveButton(index + 1, chip(seat.colour), element("span", {}, name), element("span", { className: "number" }, valueText(move.value, table.seats.length)));
    item.firstChild.setAttribute("aria-label", `${index + 1}, ${seat.name}: ${name}${move.value === null ? "" : `, ${valueText(move.value, table.seats.length)} chance`}`);
    return item;
  });
  const list = find("moves");
  list.replaceChildren(moveButton(0, element("span", {}, "Start")), ...rows);
  const current = list.querySelector("[aria-current]");
  if (!current) return;
  const top = current.offsetTop;
  if (top < list.scrollTop || top + current.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}

// With two players all values are those of the first one; with more, each player's own.
function showCurve() {
  const curve = find("curve");
  const two = table.seats.length === 2;
  const lines = table.seats.map(() => []);
  table.moves.forEach((move, ply) => {
    if (move.value !== null) lines[move.seat].push([ply, two && move.seat === 1 ? -move.value : move.value]);
  });
  curve.toggleAttribute("hidden", lines.every((line) => line.length < 2));
  const width = Math.max(1, table.plies);
  curve.setAttribute("viewBox", `0 0 ${width} 100`);
  const whose = two ? `the result of ${table.seats[0].name}` : "their own result";
  curve.setAttribute("aria-label", `What agents expected as ${whose}, from loss to win; the chances are in the list of moves`);
  const d = (line) => `M${line.map(([ply, value]) => `${ply} ${(50 - 46 * value).toFixed(1)}`).join("L")}h0`;
  curve.replaceChildren(shape("path", { d: `M0 50H${width}`, class: "zero" }));
  lines.forEach((line, seat) => {
    if (!line.length) return;
    const colour = table.seats[seat].colour;
    const edge = shape("path", { d: d(line), class: "edge" });
    edge.style.stroke = `var(--tz-${colour}_deep, var(--tz-ink))`;
    const inner = shape("path", { d: d(line), class: "value" });
    inner.style.stroke = `var(--tz-${colour})`;
    curve.append(edge, inner);
  });
  curve.append(shape("path", { d: `M${table.ply} 0V100`, class: "cursor" }));
}
