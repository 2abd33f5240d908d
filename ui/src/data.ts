// What a panel shows: asked for when it appears, again when something happens, kept when a call
// fails. A failed call touches this panel and no other.
import { type Signal, signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "./api";
import { listen, type Told } from "./live";

export interface Data<T> {
  value: T | undefined; // what was answered last, also while newer is asked for
  problem: Problem | undefined; // of the last call
  again: () => void;
}

interface Options {
  every?: number; // milliseconds between two askings while the page is looked at
  settled?: (value: unknown) => boolean; // whether an answer stays as it is
  on?: (told: Told) => boolean; // what makes an answer old
  atMost?: number; // milliseconds between two askings that events cause
}

// The last answers, so that a view that was left shows at once what it knew.
const known = new Map<string, unknown>();
const knownMost = 60;

function remember(key: string, value: unknown): void {
  known.delete(key);
  known.set(key, value);
  if (known.size > knownMost) known.delete(known.keys().next().value as string);
}

export const forgetAll = () => known.clear();

// The server's time as far as the page knows; ticks once a second while looked at.
export const now: Signal<number> = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);

export function useData<T>(key: string, load: () => Promise<T>, options: Options = {}): Data<T> {
  const [shown, show] = useState<{ key: string; value?: T; problem?: Problem }>(() => ({
    key,
    value: known.get(key) as T | undefined,
  }));
  const [round, setRound] = useState(0);

  useEffect(() => {
    let gone = false;
    let asking = false;
    let askedAt = 0;
    let planned: ReturnType<typeof setTimeout> | undefined;

    const ask = async () => {
      if (gone || asking || document.hidden) return;
      asking = true;
      askedAt = Date.now();
      try {
        const value = await load();
        remember(key, value);
        if (!gone) show({ key, value });
      } catch (error) {
        const problem =
          error instanceof Problem ? error : new Problem(0, "INTERNAL", String(error));
        if (!gone) show({ key, value: known.get(key) as T | undefined, problem });
      }
      asking = false;
    };
    const askSoon = () => {
      if (planned !== undefined) return;
      const wait = Math.max(0, askedAt + (options.atMost ?? 1000) - Date.now());
      planned = setTimeout(() => {
        planned = undefined;
        void ask();
      }, wait);
    };
    const timer = setInterval(() => {
      if (!known.has(key) || !options.settled?.(known.get(key))) void ask();
    }, options.every ?? 10_000);
    const deaf = listen((told) => {
      if (told.kind === "reset" || options.on?.(told)) askSoon();
    });
    void ask();
    return () => {
      gone = true;
      clearInterval(timer);
      clearTimeout(planned);
      deaf();
    };
  }, [key, round]);

  const mine = shown.key === key ? shown : { key, value: known.get(key) as T | undefined };
  return { value: mine.value, problem: mine.problem, again: () => setRound(round + 1) };
}
