// The one way to the dev host. The token is in the path, which the socket's address is relative to.

const listeners = new Map();
let socket;
let delay = 200;

export function on(type, listener) {
  listeners.set(type, [...(listeners.get(type) ?? []), listener]);
}

export function emit(type, message = {}) {
  for (const listener of listeners.get(type) ?? []) listener(message);
}

export function send(message) {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

export function open() {
  const address = new URL("socket", location.href);
  address.protocol = "ws:";
  socket = new WebSocket(address);
  socket.addEventListener("open", () => {
    delay = 200;
    emit("open");
  });
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    emit(message.type, message);
  });
  socket.addEventListener("close", () => {
    emit("closed");
    setTimeout(open, delay);
    delay = Math.min(delay * 2, 3000);
  });
}
