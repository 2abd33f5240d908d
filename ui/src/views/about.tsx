import { useState } from "preact/hooks";
import { get, mayAct, post } from "../api";
import { useData } from "../data";
import { count, plural } from "../format";
import { sayProblem } from "../notice";
import { Ago, Panel } from "../pieces";
import type { About } from "../types";

const classes = {
  A: "What was accepted is on disk, also if the machine dies at once.",
  B: "What was accepted survives the end of the process, not always that of the machine.",
  C: "What was accepted is gone with the process.",
};

export function AboutView() {
  const about = useData("about", () => get<About>("about"));
  return (
    <>
      <div class="heading">
        <h1>About</h1>
      </div>
      <Panel data={about} lines={6}>
        {(known) => (
          <dl class="facts">
            <Fact name="Version">{known.version}</Fact>
            <Fact name="Store">{known.store}</Fact>
            <Fact name="Durability">
              class {known.durability}. {classes[known.durability]}
            </Fact>
            <Fact name="Profile">{known.profile}</Fact>
            <Fact name="You">
              {known.caller.name}, {known.caller.role} of the namespace {known.caller.namespace}
            </Fact>
            {known.nodes.map((node) => (
              <Fact key={node.name} name="Node">
                {node.name}, started <Ago at={node.startedAt} />, seen <Ago at={node.lastSeenAt} />
              </Fact>
            ))}
          </dl>
        )}
      </Panel>
      {mayAct() && <Proof />}
      <Panel title="Configuration" data={about} lines={10}>
        {(known) => <Configuration known={known} />}
      </Panel>
    </>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Configuration({ known }: { known: About }) {
  if (known.configuration.length === 0) {
    return <p class="muted pad">Shown to those of the namespace default.</p>;
  }
  return (
    <div class="scroll">
      <table class="stacked">
        <thead>
          <tr>
            <th>Option</th>
            <th>Value</th>
            <th>Said by</th>
          </tr>
        </thead>
        <tbody>
          {known.configuration.map((setting) => (
            <tr key={setting.name}>
              <td data-label="Option" class="mono">
                {setting.name}
              </td>
              <td data-label="Value" class="mono wrap">
                {setting.value === "" ? <span class="muted">not set</span> : setting.value}
              </td>
              <td data-label="Said by" class="muted">
                {setting.source}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Check {
  sound: boolean;
  jobsChecked: number;
  findings: { rule: string; what?: string }[];
}

// Reads the whole store, so only on demand.
function Proof() {
  const [check, setCheck] = useState<Check | "asking" | null>(null);
  const run = () => {
    setCheck("asking");
    post<Check>("check")
      .then(setCheck)
      .catch((problem) => {
        setCheck(null);
        sayProblem(problem);
      });
  };
  return (
    <section class="panel">
      <header>
        <h2>Soundness</h2>
        <span class="spring" />
        <button disabled={check === "asking"} onClick={run}>
          {check === "asking" ? "Checking…" : "Check the store"}
        </button>
      </header>
      <div class="pad">
        {check === null && (
          <p class="muted">
            Proves that every index, count and history agrees. It reads every job.
          </p>
        )}
        {check === "asking" && <p class="muted">Reading every job…</p>}
        {check !== null && check !== "asking" && (
          <>
            <p role="status">
              {check.sound ? "Sound" : plural(check.findings.length, "contradiction")}:{" "}
              {count(check.jobsChecked)} jobs checked.
            </p>
            <ul>
              {check.findings.slice(0, 20).map((finding, i) => (
                <li key={i}>
                  <code>{finding.rule}</code> {finding.what}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </section>
  );
}
