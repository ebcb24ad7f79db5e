// The page: what the server says is shown, what the person does is sent.

import * as analysis from "/analysis.js";
import * as board from "/board.js";
import { connect, on, send } from "/connection.js";
import * as course from "/course.js";
import * as dialogs from "/dialogs.js";
import { chip, element, find, notice, playerName } from "/dom.js";
import { readSeats, showSeats } from "/seats.js";
import * as setup from "/setup.js";

let table = null;
let shownAt = 0; // when the table came, for the clock of the agent that thinks
let fileContent = "";
let seatsKey = "";

// --- Messages of the server ---------------------------------------------------------------------

on("hello", (message) => {
  find("connection").hidden = true;
  setup.showGames(message.games);
  if (!openAddress() && !resume()) showHome();
});

on("table", (message) => {
  const isNew = table?.token !== message.token;
  const hasMoved = table?.plies !== message.plies || table?.ply !== message.ply;
  if (isNew || table.plies !== message.plies || table.thinking !== message.thinking) shownAt = performance.now();
  table = message;
  find("connection").hidden = true;
  if (hasMoved) notice("");
  sessionStorage.setItem("token", message.token);
  if (isNew) enter();
  showTable();
});

on("analysis", analysis.take);

on("hint", (message) => {
  board.markMoves("hint", [{ hotspots: message.hotspots, arrow: message.arrow, name: "hint-mark" }]);
  say(`${table.seats[table.turn].name}'s best: ${message.move}${message.expected ? `; ${message.expected}` : ""}.`);
});

on("share", dialogs.showShare);
on("games", (message) => dialogs.showFileGames(message, fileContent));

on("file", (message) => {
  const link = element("a", { download: message.name, href: URL.createObjectURL(new Blob([message.content], { type: "application/jsonl" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});

on("error", (message) => {
  if (message.gone) {
    sessionStorage.removeItem("token");
  }
  if (!table) showHome();
  if (!setup.takeError(message.text)) notice(message.text);
});

on("taken", () => {
  find("connection").textContent = "This game goes on in another window. Reload the page to get it back.";
  find("connection").hidden = false;
});

on("closed", (reason) => {
  find("connection").textContent = reason ? `The server has closed the connection: ${reason}. Trying again.` : "There is no connection to the server. Trying again.";
  find("connection").hidden = false;
});

function resume() {
  const token = sessionStorage.getItem("token");
  return Boolean(token) && send({ do: "resume", token, engine: analysis.engine() });
}

// The position that an address after `#` names.
function openAddress() {
  const address = new URLSearchParams(location.hash.slice(1));
  const game = setup.gameOf(address.get("game"));
  if (!game) return false;
  const options = {};
  for (const option of game.options) {
    const text = address.get(`o.${option.name}`);
    if (text === null) continue;
    if (option.kind === "choice") options[option.name] = option.choices.find((choice) => String(choice) === text) ?? text;
    else if (option.kind === "bool") options[option.name] = text === "true";
    else options[option.name] = option.kind === "text" ? text : Number(text);
  }
  const message = { do: "new", game: game.name, options, open: true };
  if (address.get("position")) message.position = address.get("position");
  history.replaceState(null, "", location.pathname);
  return send(message);
}

// --- Showing ------------------------------------------------------------------------------------

function showHome() {
  find("home").hidden = false;
  find("play").hidden = true;
  find("title").textContent = "Board games";
  document.title = "Board games";
  for (const id of ["home-button", "rules-button", "legend-button", "save-button", "share-button"]) find(id).hidden = true;
}

function enter() {
  const game = setup.gameOf(table.game);
  if (find("setup").open) setup.close();
  find("home").hidden = true;
  find("play").hidden = false;
  find("title").textContent = game.title;
  document.title = game.title;
  find("rules-button").hidden = !game.rules;
  for (const id of ["home-button", "legend-button", "save-button", "share-button"]) find(id).hidden = false;
  find("goal").hidden = !game.goal;
  find("goal").querySelector("p").textContent = game.goal;
  seatsKey = "";
  find("search").value = "";
  notice("");
  analysis.enter(game);
  window.scrollTo(0, 0);
}

function showTable() {
  board.show(table);
  course.show(table);
  analysis.show(table);
  showPlayers();
  showSeatsPanel();
  showLegalMoves();
  find("cover").hidden = table.covered === null;
  if (table.covered !== null) {
    const name = table.seats[table.covered].name;
    find("cover").querySelector("p").textContent = `Hand the screen to ${name}. What the others may not see is covered.`;
    find("reveal").textContent = `I am ${name}: show the board`;
  }
  showEnd();
  find("flip").hidden = table.seats.length !== 2 || setup.gameOf(table.game).hidden;
  find("undo").disabled = !table.can_undo;
  find("hint").disabled = !table.can_play;
  find("pause").hidden = table.seats.every((seat) => seat.person);
  find("pause").setAttribute("aria-pressed", String(table.paused));
  find("pause").textContent = table.paused ? "Go on" : "Pause";
  find("move").disabled = !table.can_play;
  say(statusText());
  showState();
}

// The end of a game, with what one does next.
function showEnd() {
  find("over").hidden = !table.result || table.ply < table.plies;
  if (find("over").hidden) return;
  find("over").querySelector("p").textContent = table.result;
}

// The same game again; every player takes the next seat.
function rematch() {
  const seats = table.seats.map((_, seat) => table.seats[(seat + 1) % table.seats.length].text);
  send({ do: "new", game: table.game, options: table.options, seats, open: table.open });
}

let tables = 0;

// For style sheets and tests: how many tables came, whether the game is over, or a person may act.
function showState() {
  tables += 1;
  const data = document.body.dataset;
  data.over = String(table.over);
  data.ready = String(table.over || table.can_play || table.covered !== null);
  data.table = String(tables);
}

function say(text) {
  find("status").textContent = text;
}

function statusText() {
  if (table.covered !== null) return "";
  const parts = [];
  const move = table.moves[table.ply - 1];
  if (move) parts.push(`${table.seats[move.seat].name}: ${move.name ?? "a hidden choice"}.`);
  if (!table.result) parts.push(`${table.title}.`);
  if (table.ply < table.plies) {
    parts.push(`Move ${table.ply} of ${table.plies}.`);
    if (table.can_play) parts.push("A move here begins a variation.");
  } else if (table.thinking !== null) parts.push(`${nameOf(table.thinking)} is thinking\u2026`);
  else if (table.can_play) parts.push(table.seats.filter((seat) => seat.person).length === 1 ? "Your turn." : "");
  else if (table.paused && !table.over) parts.push("The agents wait.");
  return parts.filter(Boolean).join(" ");
}

function nameOf(seat) {
  const persons = table.seats.filter((each) => each.person).length;
  return playerName(table.seats[seat], setup.gameOf(table.game), persons);
}

function showPlayers() {
  find("players").replaceChildren(
    ...table.seats.map((seat, number) => {
      const clock = element("span", { className: "clock", title: "time that the agent took" });
      clock.dataset.seat = number;
      const item = element("li", {}, chip(seat.colour), element("strong", {}, seat.name), element("span", { className: "faint agent", title: seat.person ? "" : seat.text }, nameOf(number)));
      if (seat.score !== null) item.append(element("b", { className: "score", title: "points" }, String(seat.score)));
      if (!seat.person) item.append(clock);
      if (number === table.turn) item.setAttribute("aria-current", "true");
      return item;
    }),
  );
  showClocks();
}

function showClocks() {
  for (const clock of find("players").querySelectorAll(".clock")) {
    const number = Number(clock.dataset.seat);
    const running = table.thinking === number ? (performance.now() - shownAt) / 1000 : 0;
    const seconds = table.seats[number].seconds + running;
    clock.textContent = `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
  }
}

function showSeatsPanel() {
  const key = table.token + JSON.stringify(table.seats.map((seat) => seat.text));
  if (key === seatsKey) return;
  seatsKey = key;
  const names = table.seats.map((seat) => seat.name);
  showSeats(find("seats-form").querySelector(".seats"), setup.gameOf(table.game), names, table.seats.map((seat) => seat.text));
}

function showLegalMoves() {
  const names = table.actions.map((action) => action.name);
  find("move-names").replaceChildren(...names.map((name) => element("option", { value: name })));
  const wanted = find("search").value.trim().toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(wanted));
  find("legal-moves").replaceChildren(...found.map((name) => element("li", {}, element("button", { type: "button", onclick: () => playMove(name) }, name))));
  find("legal").querySelector("h2").textContent = `Legal moves (${names.length})`;
}

// --- What the person does -----------------------------------------------------------------------

function playMove(move) {
  if (!send({ do: "play", move, variation: table.variation, ply: table.ply })) notice("There is no connection to the server.");
}

async function openFile(file) {
  if (file.size > 4_000_000) {
    notice("The file is too large: use files of up to 4 MB.");
    return;
  }
  fileContent = await file.text();
  send({ do: "load", content: fileContent });
}

function showTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  find("theme").value = theme;
}

const buttons = {
  "home-button": showHome,
  "rules-button": () => dialogs.showRules(table.game),
  "legend-button": () => dialogs.showLegend(table.game),
  "file-button": () => find("file").click(),
  "save-button": () => send({ do: "save" }),
  "share-button": () => send({ do: "share" }),
  "keys-button": () => find("keys").showModal(),
  rematch,
  "over-new": () => showHome(),
  "over-analyse": () => analysis.toggle(),
  flip: () => send({ do: "flip" }),
  undo: () => send({ do: "undo" }),
  hint: () => send({ do: "hint" }),
  pause: () => send({ do: "pause", on: !table.paused }),
  reveal: () => send({ do: "reveal" }),
};
for (const [id, action] of Object.entries(buttons)) find(id).addEventListener("click", action);

find("file").onchange = (event) => {
  if (event.target.files[0]) openFile(event.target.files[0]);
  event.target.value = "";
};
find("typed").onsubmit = (event) => {
  event.preventDefault();
  if (find("move").value.trim()) playMove(find("move").value.trim());
  find("move").value = "";
};
find("search").oninput = showLegalMoves;
find("seats-form").onsubmit = (event) => {
  event.preventDefault();
  send({ do: "seats", seats: readSeats(find("seats-form").querySelector(".seats")) });
};
find("theme").onchange = (event) => {
  localStorage.setItem("theme", event.target.value);
  showTheme(event.target.value);
};
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
});

const press = (id) => find(id).hidden || find(id).click();
const keys = {
  ArrowLeft: () => course.step(-1),
  ArrowRight: () => course.step(1),
  Home: () => course.go(0),
  End: () => course.toEnd(),
  "/": () => find("move").focus(),
  "?": () => find("keys").showModal(),
  a: () => analysis.toggle(),
  u: () => find("undo").click(),
  h: () => find("hint").click(),
  p: () => press("pause"),
  f: () => press("flip"),
  r: () => find("rules-button").click(),
  l: () => find("legend-button").click(),
  s: () => find("share-button").click(),
  n: () => find("home-button").click(),
  Escape: () => board.clear(),
};
document.addEventListener("keydown", (event) => {
  const action = keys[event.key];
  if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input, select, textarea, dialog[open]") || document.querySelector("dialog[open]")) return;
  if (event.key !== "?" && (find("play").hidden || !table)) return;
  event.preventDefault();
  action();
});

window.addEventListener("hashchange", openAddress);
setInterval(() => table && table.thinking !== null && showClocks(), 100);
showTheme(localStorage.getItem("theme") ?? "");
board.start(playMove);
course.start();
analysis.start();
setup.start();
dialogs.start();
connect();
