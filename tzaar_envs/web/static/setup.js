// Choosing a game: the cards, and the dialog with options and seats.

import { send } from "/connection.js";
import { element, find } from "/dom.js";
import { readSeats, showSeats } from "/seats.js";

let games = [];
let chosen = null;
let isWaiting = false;

export const gameOf = (name) => games.find((game) => game.name === name);

export function showGames(found) {
  games = found;
  find("games").replaceChildren(...games.map(card));
}

function card(game) {
  const picture = element("div", { className: "picture", "aria-hidden": "true" });
  if (game.picture) {
    fetch(`/pictures/${game.name}`)
      .then((answer) => answer.text())
      .then((text) => {
        picture.innerHTML = text;
        picture.querySelector("svg")?.setAttribute("preserveAspectRatio", "xMidYMin slice");
      });
  }
  const button = element("button", { type: "button", onclick: () => openSetup(game) }, picture, element("strong", {}, game.title), element("span", {}, game.summary));
  button.dataset.game = game.name;
  return element("li", {}, button);
}

function field(option) {
  const name = `${option.name}`;
  let input;
  if (option.kind === "choice") {
    input = element("select", {}, ...option.choices.map((choice) => element("option", { value: choice }, String(choice))));
    input.value = option.value;
    input.read = () => option.choices.find((choice) => String(choice) === input.value);
  } else if (option.kind === "bool") {
    input = element("input", { type: "checkbox", checked: option.value });
    input.read = () => input.checked;
  } else if (option.kind === "text") {
    input = element("input", { value: option.value, maxLength: 2000, spellcheck: false });
    input.read = () => input.value;
  } else {
    input = element("input", { type: "number", step: option.kind === "float" ? "any" : "1", value: option.value });
    if (option.least !== null) input.min = option.least;
    if (option.most !== null) input.max = option.most;
    input.read = () => Number(input.value);
  }
  input.dataset.option = name;
  return element("label", { title: option.about }, element("span", {}, name), input, element("small", {}, option.about));
}

const inputs = () => [...find("setup-options").querySelectorAll("[data-option]")];

function namesOfPlayers() {
  const players = inputs().find((input) => input.dataset.option === "players");
  return chosen.players[players ? String(players.read()) : ""] ?? chosen.players[""];
}

function opponent(game) {
  return (game.levels[1] ?? game.agents[0]).text;
}

function openSetup(game) {
  chosen = game;
  find("setup-title").textContent = game.title;
  find("setup-summary").textContent = game.goal || game.summary;
  find("setup-error").textContent = "";
  find("setup-position").value = "";
  find("setup-seed").value = "";
  find("setup-open").hidden = !game.hidden;
  find("setup-open").querySelector("input").checked = false;
  const options = find("setup-options");
  options.hidden = game.options.length === 0;
  options.replaceChildren(options.querySelector("legend"), ...game.options.map(field));
  showNames();
  for (const input of inputs()) if (input.dataset.option === "players") input.oninput = () => showNames(readSeats(find("setup-seats")));
  find("setup").showModal();
}

function showNames(texts = []) {
  const names = namesOfPlayers();
  showSeats(find("setup-seats"), chosen, names, names.map((_, seat) => texts[seat] ?? (seat === 0 ? "human" : opponent(chosen))));
}

export function start() {
  find("setup-form").onsubmit = (event) => {
    event.preventDefault();
    const options = {};
    for (const input of inputs()) {
      const option = chosen.options.find((each) => each.name === input.dataset.option);
      if (input.read() !== option.value) options[option.name] = input.read();
    }
    const message = { do: "new", game: chosen.name, options, seats: readSeats(find("setup-seats")), open: find("setup-open").querySelector("input").checked };
    if (find("setup-position").value.trim()) message.position = find("setup-position").value.trim();
    if (find("setup-seed").value) message.seed = Number(find("setup-seed").value);
    isWaiting = send(message);
    find("setup-error").textContent = isWaiting ? "Loading the game. The first time takes a while." : "There is no connection to the server.";
  };
}

// Whether an error belongs into the dialog, which then shows it.
export function takeError(text) {
  if (!isWaiting || !find("setup").open) return false;
  isWaiting = false;
  find("setup-error").textContent = text;
  return true;
}

export function close() {
  isWaiting = false;
  find("setup").close();
}
