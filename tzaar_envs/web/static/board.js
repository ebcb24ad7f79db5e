// The board: choosing a move by pointing at its places, or with the keyboard.

import { element, find, notice, shape } from "/dom.js";

const NEAR = 12; // pixels

let table = null;
let selection = [];
let play = () => {};
let lastFocus = null;

export function start(onPlay) {
  play = onPlay;
  const board = find("board");
  board.addEventListener("click", (event) => {
    const place = event.target.closest("[data-place]") ?? nearestTo(event);
    if (place) choose(place.dataset.place);
  });
  board.addEventListener("keydown", onKey);
  board.addEventListener("focusin", (event) => {
    const place = event.target.closest("[data-place]");
    if (place) remember(place);
  });
}

// The place that can be chosen next to a point: a finger needs more room than a small place has.
function nearestTo({ clientX, clientY }) {
  const distances = [...find("board").querySelectorAll(".marks.own [data-place]")].map((place) => {
    const { left, right, top, bottom } = place.getBoundingClientRect();
    return [Math.hypot(Math.max(left - clientX, 0, clientX - right), Math.max(top - clientY, 0, clientY - bottom)), place];
  });
  const [distance, place] = distances.sort(([one], [two]) => one - two)[0] ?? [Infinity];
  return distance <= NEAR ? place : null;
}

export function show(shown) {
  const hadFocus = find("board").contains(document.activeElement);
  const isSame = table && table.ply === shown.ply && table.variation === shown.variation && table.token === shown.token;
  table = shown;
  if (!isSame || !shown.can_play) selection = [];
  find("board").hidden = shown.board === null;
  find("board").innerHTML = shown.board ?? "";
  const picture = svg();
  if (!picture) {
    find("choices").replaceChildren(); // the next person must not see them
    return;
  }
  picture.append(shape("g", { class: "marks hint" }), shape("g", { class: "marks report" }), shape("g", { class: "marks own" }));
  const { width, height } = picture.viewBox.baseVal;
  picture.classList.toggle("tall", height > 1.3 * width);
  addMissingPlaces(picture);
  for (const place of picture.querySelectorAll("[data-place]")) {
    place.dataset.label = place.getAttribute("aria-label") ?? place.dataset.place;
    place.setAttribute("tabindex", "-1");
    const title = shape("title");
    title.textContent = place.dataset.label;
    place.prepend(title);
  }
  const wanted = places().find((place) => place.dataset.place === lastFocus) ?? firstPlace();
  wanted?.setAttribute("tabindex", "0");
  if (hadFocus) wanted?.focus({ preventScroll: true });
  mark();
}

const svg = () => find("board").querySelector("svg");
const places = () => [...find("board").querySelectorAll("[data-place]")].filter((place) => !place.closest(".marks"));

function firstPlace() {
  const starts = nextPlaces([]);
  return places().find((place) => starts.has(place.dataset.place)) ?? places()[0];
}

// Places that the picture does not have can be pointed at all the same.
function addMissingPlaces(picture) {
  const known = new Set(places().map((place) => place.dataset.place));
  for (const [id, hotspot] of Object.entries(table.hotspots)) {
    if (known.has(id) || !hotspot) continue;
    const place = shape("g", { "data-place": id, "aria-label": id, class: "missing" });
    place.append(outline(seen(hotspot), "", 0));
    picture.append(place);
  }
}

// --- Choosing -----------------------------------------------------------------------------------

function isConsistent(action, chosen) {
  if (action.places.length < chosen.length || action.places.length === 0) return false;
  if (action.arrow) return chosen.every((place, index) => action.places[index] === place);
  return chosen.every((place) => action.places.includes(place));
}

function nextPlaces(chosen) {
  const found = new Set();
  for (const action of table.actions) {
    if (!isConsistent(action, chosen)) continue;
    if (action.arrow) {
      if (action.places.length > chosen.length) found.add(action.places[chosen.length]);
    } else {
      for (const place of action.places) if (!chosen.includes(place)) found.add(place);
    }
  }
  return found;
}

// Why a place cannot be chosen, in a sentence.
function refusal(place) {
  const name = places().find((each) => each.dataset.place === place)?.dataset.label ?? place;
  if (selection.length) return `No legal move goes from ${selection.join(", ")} to ${place}.`;
  return `No legal move begins there: ${name}.`;
}

function choose(place) {
  if (!table) return;
  if (!table.can_play) {
    notice(table.over ? "The game is over." : "It is not your turn.");
    return;
  }
  if (selection.includes(place)) {
    selection = selection.filter((each) => each !== place);
  } else {
    const longer = [...selection, place];
    const fits = (chosen) => table.actions.some((action) => isConsistent(action, chosen));
    if (fits(longer)) selection = longer;
    else if (fits([place])) selection = [place];
    else {
      notice(refusal(place));
      selection = [];
      mark();
      return;
    }
    notice("");
  }
  const consistent = selection.length ? table.actions.filter((action) => isConsistent(action, selection)) : [];
  const complete = consistent.filter((action) => action.places.length === selection.length);
  if (complete.length === 1 && consistent.length === 1) {
    selection = [];
    svg().querySelector(".marks.own").replaceChildren();
    play(complete[0].name);
    return;
  }
  mark();
}

export function clear() {
  selection = [];
  if (table) mark();
}

// --- Marks --------------------------------------------------------------------------------------

function mark() {
  const layer = svg()?.querySelector(".marks.own");
  if (!layer) return;
  const next = table.can_play ? nextPlaces(selection) : new Set();
  layer.replaceChildren();
  for (const id of Object.keys(table.hotspots)) {
    const name = selection.includes(id) ? "selected" : selection.length ? "target" : "start";
    if (name !== "selected" && !next.has(id)) continue;
    const made = outline(hotspotOf(id), name, name === "selected" ? 2 : 0);
    made.dataset.place = id;
    layer.append(made);
  }
  for (const place of places()) {
    const id = place.dataset.place;
    const isSelected = selection.includes(id);
    const canBeChosen = next.has(id) || isSelected;
    place.setAttribute("role", canBeChosen ? "button" : "img");
    place.classList.toggle("can", canBeChosen);
    if (canBeChosen) place.setAttribute("aria-pressed", String(isSelected));
    else place.removeAttribute("aria-pressed");
    const state = isSelected ? ", chosen" : next.has(id) ? (selection.length ? ", target" : ", can be chosen") : "";
    place.setAttribute("aria-label", place.dataset.label + state);
  }
  showChoices();
}

function showChoices() {
  const chosen = selection.length ? table.actions.filter((action) => isConsistent(action, selection) && action.places.length === selection.length) : [];
  const elsewhere = table.actions.filter((action) => action.places.length === 0);
  const offered = [...chosen, ...(elsewhere.length <= 12 ? elsewhere : [])];
  find("choices").replaceChildren(
    ...offered.map((action) => {
      const words = action.mark && !action.name.includes(action.mark) ? `${action.name} (${action.mark})` : action.name;
      return element("button", { type: "button", className: "main", onclick: () => play(action.name) }, words);
    }),
  );
  if (chosen.length && nextPlaces(selection).size) {
    find("choices").append(element("span", { className: "faint" }, "or choose more places"));
  }
}

// Where a place is; that of a large one, at which actions begin at several points, is its picture.
function hotspotOf(id) {
  if (table.hotspots[id]) return seen(table.hotspots[id]);
  const picture = svg();
  const box = places()
    .find((place) => place.dataset.place === id)
    ?.getBoundingClientRect();
  if (!box) return [0, 0, 0, 0, 1];
  const inverse = picture.getScreenCTM().inverse();
  const from = new DOMPoint(box.left, box.top).matrixTransform(inverse);
  const to = new DOMPoint(box.right, box.bottom).matrixTransform(inverse);
  return [(from.x + to.x) / 2, (from.y + to.y) / 2, (to.x - from.x) / 2 + 2, (to.y - from.y) / 2 + 2, 1];
}

// A hotspot as it is seen on a board that may be flipped.
function seen([x, y, ...rest]) {
  if (!table.flipped) return [x, y, ...rest];
  const { width, height } = svg().viewBox.baseVal;
  return [width - x, height - y, ...rest];
}

function outline([x, y, r, h, square], name, grow) {
  if (square) {
    return shape("rect", { x: x - r + 2 - grow, y: y - h + 2 - grow, width: 2 * (r + grow) - 4, height: 2 * (h + grow) - 4, rx: 5, class: name });
  }
  return shape("circle", { cx: x, cy: y, r: r + 2 + grow, class: name });
}

function arrow(hotspots, name) {
  const [x1, y1, r1] = hotspots[0];
  const [x2, y2, r2] = hotspots[hotspots.length - 1];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [from, to] = [Math.min(r1 * 0.5, length * 0.2), length - Math.min(r2 * 0.4, length * 0.2)];
  const point = (along, side) => `${x1 + ux * along - uy * side},${y1 + uy * along + ux * side}`;
  const outlinePoints = [point(from, 3), point(to - 16, 3), point(to - 16, 10), point(to, 0), point(to - 16, -10), point(to - 16, -3), point(from, -3)];
  return shape("polygon", { points: outlinePoints.join(" "), class: name });
}

// Mark moves in a layer, `hint` or `report`: each has its hotspots, and whether it is an arrow.
export function markMoves(layerName, moves) {
  const layer = svg()?.querySelector(`.marks.${layerName}`);
  layer?.replaceChildren(
    ...moves.flatMap(({ hotspots, arrow: isArrow, name }) => {
      if (!hotspots.length) return [];
      const places = hotspots.map(seen);
      return isArrow ? [arrow(places, name)] : places.map((place) => outline(place, name, 3));
    }),
  );
}

// --- Keys ---------------------------------------------------------------------------------------

function remember(place) {
  lastFocus = place.dataset.place;
  for (const other of places()) other.setAttribute("tabindex", other === place ? "0" : "-1");
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onKey(event) {
  const place = event.target.closest("[data-place]");
  if (!place || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Enter" || event.key === " ") choose(place.dataset.place);
  else if (event.key === "Escape") clear();
  else if (DIRECTIONS[event.key]) neighbour(place, DIRECTIONS[event.key])?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

// The nearest place within 60 degrees of a direction.
function neighbour(place, [right, down]) {
  const middle = (each) => {
    const box = each.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = middle(place);
  let best = null;
  let least = Infinity;
  for (const other of places()) {
    const [otherX, otherY] = middle(other);
    const along = (otherX - x) * right + (otherY - y) * down;
    const aside = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * right);
    if (along < 2 || aside > 1.75 * along) continue;
    const cost = along + 2 * aside;
    if (cost < least) [best, least] = [other, cost];
  }
  return best;
}
