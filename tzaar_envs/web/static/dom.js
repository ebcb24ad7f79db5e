// Small helpers for elements.

export const find = (id) => document.getElementById(id);

export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "for" || name === "list") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function shape(tag, attributes = {}) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export function chip(colour) {
  const made = element("i", { className: "chip" });
  made.style.background = `var(--tz-${colour})`;
  made.style.borderColor = `var(--tz-${colour}_deep, var(--tz-ink))`;
  return made;
}

// Values are shown as chances: 0% a certain loss, 100% a certain win; losers share -1.
export const chanceOf = (value, players) => (value * (players - 1) + 1) / players;

export function valueText(value, players) {
  return value === null || value === undefined ? "" : `${Math.round(100 * chanceOf(value, players))}%`;
}

// What is said of a player: "You", a level, or the agent's text.
export function playerName(seat, game, persons) {
  if (seat.person) return persons === 1 ? "You" : "Person";
  const level = game?.levels.find((each) => each.text === seat.text);
  return level ? `Computer, ${level.name.toLowerCase()}` : seat.text;
}

let noticeTimer = 0;

export function notice(text) {
  clearTimeout(noticeTimer);
  find("notice").textContent = text;
  find("notice").hidden = !text;
  if (text) noticeTimer = setTimeout(() => notice(""), 12000);
}
