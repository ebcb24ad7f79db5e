const find = (id) => document.getElementById(id);

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const game = await unpack(find("game").textContent);
const lastPly = game.moves.length;
let ply = 0;
let timer = 0;

const board = find("board");
board.setAttribute("viewBox", `0 0 ${game.size[0]} ${game.size[1]}`);

function show(wanted) {
  ply = Math.min(lastPly, Math.max(0, wanted));
  draw();
  find("status").textContent = statusText();
  find("slider").value = ply;
  find("slider").setAttribute("aria-valuetext", statusText());
  find("cursor")?.setAttribute("d", `M${ply} 0V100`);
  showSearch();
  for (const button of find("moves").querySelectorAll("[aria-current]")) button.removeAttribute("aria-current");
  const current = find("moves").querySelector(`[data-ply="${ply}"]`);
  current.setAttribute("aria-current", "step");
  reveal(current);
  for (const id of ["first", "previous"]) find(id).disabled = ply === 0;
  for (const id of ["next", "last"]) find(id).disabled = ply === lastPly;
  history.replaceState(null, "", `#${ply}`);
}

function draw() {
  const frame = game.frames[ply];
  const [under, over] = (find("marks").checked && frame.marks) || [[], []];
  const numbers = [...game.ground, ...frame.below, ...under, ...frame.above, ...over];
  board.innerHTML = numbers.map((number) => game.parts[number]).join("");
  board.setAttribute("aria-label", frame.title);
}

function statusText() {
  const parts = [];
  if (ply > 0) {
    const move = game.moves[ply - 1];
    const how = ply <= game.opening ? ", random opening" : "";
    parts.push(`Move ${ply} of ${lastPly}: ${game.sides[move.seat]} ${move.name}${how}.`);
  } else {
    parts.push(`Start position, ${lastPly} moves follow.`);
  }
  if (ply === lastPly) parts.push(game.end);
  return parts.join(" ");
}

function showSearch() {
  const move = game.moves[ply];
  const search = move?.search;
  find("mover").textContent = move ? `${game.sides[move.seat]} is to move and plays ${move.name}` : "The game is over";
  find("found").textContent = search ? search.facts.join(", ") : move ? "No search was recorded here." : "";
  find("line").textContent = search?.line.length ? `Expected: ${search.line.join(" ")}` : "";
  const table = find("visits");
  table.hidden = !search?.visits.length;
  table.caption.textContent = search?.others ? `Visits (${search.others} other moves are not listed)` : "Visits";
  table.tBodies[0].replaceChildren(...(search?.visits ?? []).map((visit) => visitRow(visit, search.visits[0][1], move.name)));
}

function visitRow([name, count, percent], most, chosen) {
  const row = document.createElement("tr");
  const bar = document.createElement("span");
  bar.className = "bar";
  bar.style.width = `${(100 * count) / most}%`;
  for (const content of [name, bar, count, `${percent}%`]) row.insertCell().append(content);
  if (name === chosen) row.className = "chosen";
  return row;
}

function reveal(button) {
  const list = find("moves");
  const top = button.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - list.clientHeight / 2;
  }
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  find("autoplay").textContent = "Play";
  find("autoplay").setAttribute("aria-pressed", "false");
  find("status").setAttribute("aria-live", "polite");
}

function play() {
  if (ply === lastPly) show(0);
  find("autoplay").textContent = "Pause";
  find("autoplay").setAttribute("aria-pressed", "true");
  find("status").setAttribute("aria-live", "off");
  timer = setTimeout(advance, 1000 / find("speed").value);
}

function advance() {
  show(ply + 1);
  if (ply === lastPly) pause();
  else timer = setTimeout(advance, 1000 / find("speed").value);
}

function toggle() {
  if (timer) pause();
  else play();
}

function go(wanted) {
  if (timer) pause();
  show(wanted);
}

function changeSpeed(step) {
  const speed = find("speed");
  speed.selectedIndex = Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + step));
}

function toggleMarks() {
  find("marks").checked = !find("marks").checked;
  draw();
}

find("first").onclick = () => go(0);
find("previous").onclick = () => go(ply - 1);
find("next").onclick = () => go(ply + 1);
find("last").onclick = () => go(lastPly);
find("autoplay").onclick = toggle;
find("slider").oninput = (event) => go(Number(event.target.value));
find("marks").onchange = draw;
find("theme").onchange = (event) => {
  if (event.target.value) document.documentElement.dataset.theme = event.target.value;
  else delete document.documentElement.dataset.theme;
};
find("moves").onclick = (event) => {
  const button = event.target.closest("[data-ply]");
  if (button) go(Number(button.dataset.ply));
};
const curve = find("curve");
if (curve) {
  curve.onclick = (event) => {
    const box = curve.getBoundingClientRect();
    go(Math.round(((event.clientX - box.left) / box.width) * lastPly));
  };
}

const keys = {
  ArrowLeft: () => go(ply - 1),
  ArrowRight: () => go(ply + 1),
  Home: () => go(0),
  End: () => go(lastPly),
  " ": toggle,
  "+": () => changeSpeed(1),
  "-": () => changeSpeed(-1),
  v: toggleMarks,
};
document.addEventListener("keydown", (event) => {
  const action = keys[event.key];
  if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("select")) return;
  if (event.key === " " && event.target.closest("button, input, summary")) return;
  if (event.target.closest("input[type=range]") && event.key.match(/Arrow|Home|End/)) return;
  event.preventDefault();
  action();
});
addEventListener("hashchange", () => go(Number(location.hash.slice(1)) || 0));

show(Number(location.hash.slice(1)) || 0);
