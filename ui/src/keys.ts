// Keyboard shortcuts. Each view registers its own while it is mounted.
import { useEffect, useRef } from "preact/hooks";

type Act = () => void;
export type Keys = Record<string, Act>;

const layers: { current: Keys }[] = [];

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]"))
    return;
  if (isWriting(event.target)) {
    if (event.key === "Escape") (event.target as HTMLElement).blur();
    return;
  }
  // Enter activates the focused link or button.
  if (
    event.key === "Enter" &&
    event.target instanceof HTMLElement &&
    event.target.matches("a, button, summary")
  ) {
    return;
  }
  for (const layer of [...layers].reverse()) {
    const act = layer.current[event.key];
    if (!act) continue;
    event.preventDefault();
    act();
    return;
  }
});

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    layers.push(latest);
    return () => {
      layers.splice(layers.indexOf(latest), 1);
    };
  }, []);
}
