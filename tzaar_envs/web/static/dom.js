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

export function valueText(value) {
  if (value === null || value === undefined) return "";
  const rounded = Math.round(value * 100) / 100 + 0;
  return `${rounded < 0 ? "\u2212" : "+"}${Math.abs(rounded).toFixed(2)}`;
}

let noticeTimer = 0;

export function notice(text) {
  clearTimeout(noticeTimer);
  find("notice").textContent = text;
  find("notice").hidden = !text;
  if (text) noticeTimer = setTimeout(() => notice(""), 12000);
}
