// Light, dark, or the system's setting.
import { effect, signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
export const themes = ["auto", "light", "dark"] as const;

function stored(): Theme {
  const value = localStorage.getItem("longshore-theme");
  return value === "light" || value === "dark" ? value : "auto";
}

export const theme = signal<Theme>(stored());
// Follows the system's setting, so that charts are redrawn when it changes.
export const systemDark = signal(matchMedia("(prefers-color-scheme: dark)").matches);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
  systemDark.value = event.matches;
});

effect(() => {
  localStorage.setItem("longshore-theme", theme.value);
  document.documentElement.dataset.theme = theme.value;
});
