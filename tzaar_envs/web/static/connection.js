// The websocket: messages to the server and from it, and its return after an interruption.

const handlers = new Map();
let socket = null;
let attempts = 0;
let isTaken = false;

export function on(kind, handler) {
  handlers.set(kind, handler);
}

export function send(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

export function connect() {
  socket = new WebSocket(`ws://${location.host}/ws`);
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.kind === "hello") attempts = 0;
    if (message.kind === "taken") isTaken = true;
    if (message.kind === "table") isTaken = false;
    handlers.get(message.kind)?.(message);
  };
  socket.onclose = (event) => {
    if (isTaken) return;
    attempts += 1;
    handlers.get("closed")?.(event.reason);
    setTimeout(connect, Math.min(15000, 500 * 2 ** Math.min(attempts, 6)) * (0.7 + 0.6 * Math.random()));
  };
}
