// Live events from the server, over one stream shared by all visible tabs. The tab that holds a
// lock opens the stream and broadcasts to the others; a hidden tab releases the lock and ignores
// broadcasts.
import { signal } from "@preact/signals";
import { root } from "./api";
import type { JobTransition } from "./types";

export type LiveEvent =
  | { kind: "moves"; moves: JobTransition[] }
  | { kind: "changed"; queue: string }
  | { kind: "reset" };
type Listener = (event: LiveEvent) => void;

export const liveState = signal<"connecting" | "live" | "paused" | "offline">("connecting");

const listeners = new Set<Listener>();
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

type Message = LiveEvent | { kind: "state"; state: "live" | "offline" } | { kind: "who" };

const channel =
  "BroadcastChannel" in window ? new BroadcastChannel("longshore" + root.pathname) : null;
const flushEvery = 250;

let source: EventSource | null = null;
let waiting: JobTransition[] = [];
let release: (() => void) | null = null;
let asking: AbortController | null = null;

function deliver(message: Message): void {
  if (message.kind === "state") liveState.value = message.state;
  else if (message.kind !== "who") for (const listener of listeners) listener(message);
}

function broadcast(message: Message): void {
  deliver(message);
  channel?.postMessage(message);
}

if (channel) {
  channel.onmessage = (event: MessageEvent<Message>) => {
    if (document.hidden) return;
    if (event.data.kind === "who") {
      if (source?.readyState === EventSource.OPEN)
        channel.postMessage({ kind: "state", state: "live" });
    } else {
      deliver(event.data);
    }
  };
}

setInterval(() => {
  if (waiting.length === 0) return;
  broadcast({ kind: "moves", moves: waiting });
  waiting = [];
}, flushEvery);

function open(): void {
  source?.close();
  source = new EventSource(new URL("events", root));
  source.onopen = () => {
    // After an outage, or when this tab takes over the stream of another, events were missed.
    const missed = liveState.value !== "connecting";
    broadcast({ kind: "state", state: "live" });
    if (missed) broadcast({ kind: "reset" });
  };
  source.onerror = () => {
    broadcast({ kind: "state", state: "offline" });
    // The browser reconnects after a lost connection, but not after an error response.
    if (source?.readyState === EventSource.CLOSED) setTimeout(() => source && open(), 3000);
  };
  source.addEventListener("transition", (event) =>
    waiting.push(JSON.parse((event as MessageEvent).data)),
  );
  source.addEventListener("changed", (event) =>
    broadcast({ kind: "changed", queue: String((event as MessageEvent).data) }),
  );
  source.addEventListener("reset", () => broadcast({ kind: "reset" }));
}

function close(): void {
  source?.close();
  source = null;
  waiting = [];
}

// Without the Locks API (a remote page without TLS) each tab opens its own stream.
function connect(): void {
  liveState.value = "connecting";
  if (!navigator.locks || !channel) return open();
  asking = new AbortController();
  navigator.locks
    .request("longshore-stream" + root.pathname, { signal: asking.signal }, () => {
      open();
      return new Promise<void>((resolve) => (release = resolve));
    })
    .catch(() => {}); // aborted: the tab was hidden before it got the lock
  channel.postMessage({ kind: "who" });
}

function disconnect(): void {
  asking?.abort();
  asking = null;
  close();
  release?.();
  release = null;
  liveState.value = "paused";
}

let started = false;
export function startLive(): void {
  if (started) return;
  started = true;
  if (!document.hidden) connect();
}

document.addEventListener("visibilitychange", () => {
  if (!started) return;
  if (document.hidden) return disconnect();
  connect();
  // Refresh everything: events were missed while the tab was hidden.
  deliver({ kind: "reset" });
});

export function stopLive(): void {
  if (!started) return;
  disconnect();
  started = false;
}
