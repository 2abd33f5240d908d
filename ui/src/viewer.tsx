// A JSON viewer: collapses long values, hides redacted ones, and copies the stored bytes.
import { useMemo, useState } from "preact/hooks";
import { about, mayAct } from "./api";
import { bytes, count } from "./format";
import { type Item, isHidden, type Node, readJson, redacted, source } from "./json";
import { copy } from "./notice";

const largeText = 20_000; // characters; larger documents start collapsed
const longString = 300;
const itemsAtOnce = 100;

export function JsonViewer({ title, text }: { title: string; text: string }) {
  const node = useMemo(() => readJson(text), [text]);
  const [revealed, reveal] = useState(false);
  const rules = about.value?.redact ?? [];
  const safe = useMemo(() => redacted(text, node, rules), [text, rules]);
  const hides = safe !== source(text, node);
  return (
    <section class="panel viewer">
      <header>
        <h2>{title}</h2>
        <span class="muted">{bytes(new Blob([text]).size)}</span>
        <span class="spring" />
        {hides && mayAct() && (
          <button class="quiet" aria-pressed={revealed} onClick={() => reveal(!revealed)}>
            {revealed ? "Hide secrets" : "Reveal secrets"}
          </button>
        )}
        <button
          class="quiet"
          onClick={() => copy(revealed ? source(text, node) : safe, `${title} copied`)}
        >
          Copy
        </button>
      </header>
      <div class="json" tabIndex={0} role="region" aria-label={title}>
        <Value
          text={text}
          node={node}
          rules={revealed ? [] : rules}
          open={text.length < largeText}
        />
      </div>
    </section>
  );
}

interface ValueProps {
  text: string;
  node: Node;
  rules: string[];
  open: boolean;
}

function Value({ text, node, rules, open }: ValueProps) {
  if (node.kind === "object" || node.kind === "array") {
    return <Fold text={text} node={node} rules={rules} open={open} />;
  }
  if (node.kind === "string") return <Text text={source(text, node)} />;
  return <span class={"json-" + node.kind}>{source(text, node)}</span>;
}

function Fold({ text, node, rules, open }: ValueProps) {
  const [isOpen, setOpen] = useState(open);
  const [limit, setLimit] = useState(itemsAtOnce);
  const [left, right] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  if (node.items.length === 0) return <span>{left + right}</span>;
  const size = `${count(node.items.length)} ${node.kind === "object" ? "members" : "items"}`;
  return (
    <>
      <button
        class="fold"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? "Collapse" : "Expand"} ${size}`}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? "▾" : "▸"} {left}
        {!isOpen && (
          <span class="muted">
            {" "}
            {size}, {bytes(node.end - node.start)} {right}
          </span>
        )}
      </button>
      {isOpen && (
        <ul>
          {node.items.slice(0, limit).map((item, i) => (
            <Member key={i} item={item} of={node.kind} text={text} rules={rules} />
          ))}
          {limit < node.items.length && (
            <li>
              <button class="link" onClick={() => setLimit(limit + itemsAtOnce * 10)}>
                {count(node.items.length - limit)} more…
              </button>
            </li>
          )}
        </ul>
      )}
      {isOpen && <span>{right}</span>}
    </>
  );
}

function Member({
  item,
  of,
  text,
  rules,
}: {
  item: Item;
  of: string;
  text: string;
  rules: string[];
}) {
  const hidden = of === "object" && isHidden(item.name, rules);
  return (
    <li>
      {of === "object" && <span class="json-name">{item.name}: </span>}
      {hidden ? (
        <span class="json-hidden" title="Hidden by the ui.redact option">
          hidden
        </span>
      ) : (
        <Value
          text={text}
          node={item.node}
          rules={rules}
          open={item.node.end - item.node.start < 2000}
        />
      )}
    </li>
  );
}

function Text({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= longString) return <span class="json-string">{text}</span>;
  return (
    <span class="json-string">
      {text.slice(0, longString)}…{" "}
      <button class="link" onClick={() => setWhole(true)}>
        show all {bytes(text.length)}
      </button>
    </span>
  );
}
