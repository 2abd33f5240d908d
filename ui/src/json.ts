// A lossless JSON parser: a node is a range of the text, so numbers keep all digits and copying a
// value copies the stored bytes.

export interface Node {
  kind: "object" | "array" | "string" | "number" | "word";
  start: number;
  end: number;
  items: Item[]; // members of an object, or elements of an array
}
export interface Item {
  name: string; // empty in an array
  node: Node;
}

export class NotJson extends Error {}

// Deeper than the server accepts, and shallow enough for the browser's stack.
const deepest = 200;

export function readJson(text: string): Node {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.space();
  if (reader.at < text.length) throw new NotJson(`unexpected text at offset ${reader.at}`);
  return node;
}

export const member = (node: Node, name: string): Node | undefined =>
  node.items.find((item) => item.name === name)?.node;

export const source = (text: string, node: Node): string => text.slice(node.start, node.end);

const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const wordPattern = /true|false|null/y;
const spacePattern = /[ \t\r\n]*/y;

class Reader {
  at = 0;
  constructor(private readonly text: string) {}

  space(): void {
    spacePattern.lastIndex = this.at;
    spacePattern.test(this.text);
    this.at = spacePattern.lastIndex;
  }

  value(depth: number): Node {
    this.space();
    if (depth > deepest) throw new NotJson(`nested deeper than ${deepest} levels`);
    const first = this.text[this.at];
    if (first === "{") return this.list("object", "}", depth);
    if (first === "[") return this.list("array", "]", depth);
    if (first === '"') return this.leaf("string", stringPattern);
    if (first === "t" || first === "f" || first === "n") return this.leaf("word", wordPattern);
    return this.leaf("number", numberPattern);
  }

  private leaf(kind: Node["kind"], pattern: RegExp): Node {
    const start = this.at;
    pattern.lastIndex = start;
    if (!pattern.test(this.text)) throw new NotJson(`unexpected text at offset ${start}`);
    this.at = pattern.lastIndex;
    return { kind, start, end: this.at, items: [] };
  }

  private list(kind: "object" | "array", close: string, depth: number): Node {
    const node: Node = { kind, start: this.at, end: 0, items: [] };
    this.at += 1;
    this.space();
    while (this.text[this.at] !== close) {
      if (node.items.length > 0) this.expect(",");
      node.items.push(this.item(kind, depth));
      this.space();
    }
    this.at += 1;
    node.end = this.at;
    return node;
  }

  private item(kind: "object" | "array", depth: number): Item {
    if (kind === "array") return { name: "", node: this.value(depth + 1) };
    this.space();
    const key = this.leaf("string", stringPattern);
    this.space();
    this.expect(":");
    return { name: JSON.parse(source(this.text, key)) as string, node: this.value(depth + 1) };
  }

  private expect(character: string): void {
    if (this.text[this.at] !== character)
      throw new NotJson(`expected ${character} at offset ${this.at}`);
    this.at += 1;
  }
}

// True if a rule hides members of this name: "api-key" hides apiKey, API_KEY and x-api-key-2.
export function isHidden(name: string, rules: string[]): boolean {
  const plain = plainName(name);
  return rules.some((rule) => rule !== "" && plain.includes(plainName(rule)));
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

// The text with the value of every hidden member replaced.
export function redacted(text: string, node: Node, rules: string[]): string {
  const cuts: Node[] = [];
  const visit = (each: Node) => {
    for (const item of each.items) {
      if (each.kind === "object" && isHidden(item.name, rules)) cuts.push(item.node);
      else visit(item.node);
    }
  };
  visit(node);
  let out = "";
  let from = node.start;
  for (const cut of cuts) {
    out += text.slice(from, cut.start) + '"(hidden)"';
    from = cut.end;
  }
  return out + text.slice(from, node.end);
}
