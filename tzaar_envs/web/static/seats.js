// Who takes the seats: a choice, sliders for the budget, and the agent text.

import { element } from "/dom.js";

const PERSON = "human";

const toSlider = (value, { least, most }) => Math.round(1000 * (Math.log(value - least + 1) / Math.log(most - least + 1)));
function fromSlider(at, { least, most }) {
  const value = least - 1 + (most - least + 1) ** (at / 1000);
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.min(most, Math.max(least, Math.round(value / digits) * digits));
}

function seat(game, name, text) {
  const row = element("div", { className: "seat", role: "group", "aria-label": name });
  const levelOf = (each) => game.levels.find((level) => level.text === each);
  const listed = game.agents.find((agent) => agent.text === text) ?? game.agents.find((agent) => agent.text === text.split(":")[0]);
  const known = listed ?? (text === PERSON || levelOf(text) ? null : { text, about: "", sliders: [] });
  const agents = listed || !known ? game.agents : [...game.agents, known];
  const choice = element("select", { className: "who", "aria-label": `${name}: who plays` });
  const computer = element("optgroup", { label: "Computer" });
  for (const level of game.levels) computer.append(element("option", { value: `level ${level.text}`, title: level.about }, level.name));
  const others = element("optgroup", { label: "Agents" });
  for (const agent of agents) others.append(element("option", { value: agent.text, title: agent.about }, agent.text));
  choice.append(element("option", { value: PERSON }, "You, or another person"), computer, others);
  choice.value = levelOf(text) ? `level ${text}` : known ? known.text : PERSON;
  const field = element("input", { className: "text", maxLength: 300, spellcheck: false, autocapitalize: "off", "aria-label": `${name}: agent text`, value: text });
  const sliders = element("div", { className: "sliders" });
  const about = element("p", { className: "faint" });

  function showAgent(value) {
    const level = choice.value.startsWith("level ") ? levelOf(choice.value.slice(6)) : null;
    const agent = level ? null : agents.find((each) => each.text === choice.value);
    field.hidden = !agent;
    field.value = level ? level.text : agent ? value : PERSON;
    about.textContent = level?.about ?? agent?.about ?? "";
    about.hidden = !level && !agent;
    const given = new Map((value.split(":")[1] ?? "").split(",").map((part) => part.split("=")));
    const ranges = (agent?.sliders ?? []).map((slider) => {
      const output = element("output", {});
      const range = element("input", { type: "range", min: "0", max: "1000", "aria-label": `${name}: ${slider.about}` });
      range.value = toSlider(Number(given.get(slider.name) ?? (slider.name === "ms" ? 0 : slider.value)), slider);
      const write = () => {
        const value = fromSlider(Number(range.value), slider);
        output.textContent = slider.name === "ms" ? (value ? `${(value / 1000).toFixed(1)} s` : "no time limit") : value.toLocaleString("en");
        range.setAttribute("aria-valuetext", output.textContent);
      };
      write();
      range.oninput = () => {
        write();
        const values = ranges.map((each) => [each.slider.name, fromSlider(Number(each.range.value), each.slider)]);
        const time = values.find(([key, value]) => key === "ms" && value > 0);
        const chosen = time ? [time] : values.filter(([key]) => key !== "ms");
        field.value = `${agent.text}:${chosen.map(([key, value]) => `${key}=${value}`).join(",")}`;
      };
      const label = slider.name === "ms" ? "time" : slider.name;
      return { slider, range, row: element("label", {}, element("span", {}, label), range, output) };
    });
    sliders.replaceChildren(...ranges.map((each) => each.row));
  }

  function fresh(agentText) {
    const slider = agents.find((each) => each.text === agentText)?.sliders.find((each) => each.name !== "ms");
    return slider ? `${agentText}:${slider.name}=${slider.value}` : agentText;
  }

  choice.onchange = () => showAgent(fresh(choice.value));
  showAgent(text === known?.text && !levelOf(text) ? fresh(text) : text);
  row.append(element("span", { className: "name" }, name), choice, field, sliders, about);
  row.text = () => (choice.value === PERSON ? PERSON : field.value.trim());
  return row;
}

// Fill a container with the seats; `texts` says who sits there now.
export function showSeats(container, game, names, texts) {
  container.replaceChildren(...names.map((name, index) => seat(game, name, texts[index] ?? PERSON)));
}

export const readSeats = (container) => [...container.children].map((row) => row.text());
