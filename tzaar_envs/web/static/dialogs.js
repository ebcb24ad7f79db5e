// Dialogs: rules, legend, share, keys, games of a file.

import { send } from "/connection.js";
import { element, find, shape } from "/dom.js";

const pages = new Map();

async function rulesOf(name) {
  if (!pages.has(name)) {
    const answer = await fetch(`/rules/${name}`);
    pages.set(name, answer.ok ? await answer.text() : "<p>There is no page with the rules of this game.</p>");
  }
  return pages.get(name);
}

export function start() {
  for (const dialog of document.querySelectorAll("dialog")) {
    for (const button of dialog.querySelectorAll(".close")) button.onclick = () => dialog.close();
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
  }
  // The address names a position, not a place on the page.
  find("rules").addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (!link) return;
    event.preventDefault();
    find(link.getAttribute("href").slice(1))?.scrollIntoView();
  });
  find("share-copy").onclick = async () => {
    find("share-address").select();
    try {
      await navigator.clipboard.writeText(find("share-address").value);
    } catch {
      document.execCommand("copy");
    }
    find("share-copy").textContent = "Copied";
  };
}

export async function showRules(game) {
  const page = find("rules").querySelector(".page");
  page.innerHTML = await rulesOf(game);
  find("rules").showModal();
  page.scrollTop = 0;
}

export async function showLegend(game) {
  const dialog = find("legend");
  dialog.querySelector(".pieces").replaceChildren(...pieces());
  const holder = element("div");
  holder.innerHTML = await rulesOf(game);
  const id = holder.querySelector("article")?.dataset.notation;
  dialog.querySelector(".page").replaceChildren(...(id ? sectionOf(holder, id) : []));
  dialog.showModal();
}

// A heading and what follows up to the next one.
function sectionOf(holder, id) {
  const heading = holder.querySelector(`#${CSS.escape(id)}`);
  const found = [];
  for (let at = heading; at && (at === heading || !/^H[123]$/.test(at.tagName)); at = at.nextElementSibling) found.push(at.cloneNode(true));
  found[0]?.removeAttribute("id");
  return found;
}

const MOST_PIECES = 14;

// One of each kind of thing on the board, with its picture.
function pieces() {
  const found = new Map();
  for (const group of find("board").querySelectorAll("svg [aria-label]")) {
    const label = group.dataset.label ?? group.getAttribute("aria-label");
    const words = label.replace(/^[^:]{1,12}: /, "");
    const kind = words.replace(/\d+/g, "#");
    if (words === "empty" || found.has(kind) || found.size >= MOST_PIECES || group.closest(".marks")) continue;
    const box = group.getBBox();
    if (box.width > 0 && box.width < 220) found.set(kind, [group, box, words]);
  }
  return [...found.values()].map(([group, box, words]) => {
    const picture = shape("svg", {
      viewBox: `${box.x - 2} ${box.y - 2} ${box.width + 4} ${box.height + 4}`,
      "aria-hidden": "true",
      ...Object.fromEntries(["fill", "stroke-linecap", "stroke-linejoin"].map((name) => [name, group.ownerSVGElement.getAttribute(name)])),
    });
    const copy = group.cloneNode(true);
    for (const name of ["transform", "tabindex", "role", "data-place", "class", "aria-label"]) copy.removeAttribute(name);
    picture.append(copy);
    return element("li", {}, picture, element("span", {}, words));
  });
}

export function showShare(message) {
  const address = new URLSearchParams({ game: message.game, position: message.position });
  for (const [name, value] of Object.entries(message.options)) address.set(`o.${name}`, String(value));
  find("share-address").value = `${location.origin}/#${address}`;
  find("share-position").value = message.position;
  find("share-warning").hidden = !message.tells;
  find("share-copy").textContent = "Copy the address";
  find("share").showModal();
}

export function showFileGames(message, content) {
  const list = find("file-games").querySelector("ol");
  list.replaceChildren(
    ...message.games.map((game, number) => {
      const words = `${game.game}: ${game.agents.join(" - ") || "unknown players"}, ${game.plies} moves`;
      const load = () => {
        find("file-games").close();
        send({ do: "load", content, number });
      };
      return element("li", {}, element("button", { type: "button", onclick: load }, words));
    }),
  );
  if (message.others) list.append(element("li", { className: "faint" }, `${message.others} more`));
  find("file-games").showModal();
}
