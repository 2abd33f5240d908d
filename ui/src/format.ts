// Numbers, times and sizes formatted for people.

const whole = new Intl.NumberFormat("en-US");

export const count = (value: number): string => whole.format(value);

// 1,234 · 12.3 k · 4.5 M
export function short(value: number): string {
  if (value < 10_000) return count(Math.round(value));
  if (value < 1_000_000) return `${trim(value / 1000)} k`;
  return `${trim(value / 1_000_000)} M`;
}

const trim = (value: number): string =>
  value < 100 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);

export function rate(perSecond: number): string {
  if (perSecond === 0) return "0/s";
  if (perSecond >= 0.95) return `${perSecond < 10 ? trim(perSecond) : short(perSecond)}/s`;
  const perMinute = perSecond * 60;
  return `${perMinute < 10 ? trim(perMinute) : Math.round(perMinute)}/min`;
}

export function millis(value: number): string {
  if (value < 1) return "0 ms";
  if (value < 1000) return `${Math.round(value)} ms`;
  return seconds(value / 1000);
}

export function seconds(value: number): string {
  if (value < 60) return `${value < 10 ? trim(value) : Math.round(value)} s`;
  if (value < 3600) return two(value, 60, "min", 1, "s");
  if (value < 86_400) return two(value, 3600, "h", 60, "min");
  return two(value, 86_400, "d", 3600, "h");
}

function two(value: number, large: number, name: string, small: number, part: string): string {
  const rest = Math.floor((value % large) / small);
  const first = `${Math.floor(value / large)} ${name}`;
  return rest === 0 ? first : `${first} ${rest} ${part}`;
}

export function ago(at: string, now: number): string {
  const age = (now - Date.parse(at)) / 1000;
  if (age < -1) return `in ${seconds(Math.round(-age))}`;
  if (age < 2) return "now";
  return `${seconds(age < 60 ? Math.floor(age) : age)} ago`;
}

const clock = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
export const moment = (at: string): string => clock.format(new Date(at)).replace(",", "");

export const exact = (at: string): string => `${moment(at)}.${at.slice(20, 23)}`;

export const timeOfDay = (at: string): string => new Date(at).toTimeString().slice(0, 8);

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${trim(size / 1024)} KiB`;
  return `${trim(size / 1024 / 1024)} MiB`;
}

export const plural = (n: number, one: string, many = one + "s"): string =>
  `${count(n)} ${n === 1 ? one : many}`;

// Only the end of an ID is random; its beginning is a timestamp.
export const shortId = (id: string): string => "…" + id.slice(-12);

// A job's ID contains its creation time.
export const timeOfId = (id: string): number => parseInt(id.replaceAll("-", "").slice(0, 12), 16);
