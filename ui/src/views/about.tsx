import { useState } from "preact/hooks";
import { get, mayAct, post } from "../api";
import { useData } from "../data";
import { count, plural } from "../format";
import { sayProblem } from "../notice";
import { Ago, Panel } from "../pieces";
import type { About } from "../types";

const classes = {
  A: "Accepted jobs are on disk and survive a crash of the machine.",
  B: "Accepted jobs survive a crash of the process; a crash of the machine may lose some.",
  C: "Accepted jobs are lost when the process ends.",
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
              {known.caller.name}, role {known.caller.role}, namespace {known.caller.namespace}
            </Fact>
            {known.nodes.map((node) => (
              <Fact key={node.name} name="Node">
                {node.name}, started <Ago at={node.startedAt} />, last seen{" "}
                <Ago at={node.lastSeenAt} />
              </Fact>
            ))}
          </dl>
        )}
      </Panel>
      {mayAct() && <ConsistencyCheck />}
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
    return <p class="muted pad">Only visible in the default namespace.</p>;
  }
  return (
    <div class="scroll">
      <table class="stacked">
        <thead>
          <tr>
            <th>Option</th>
            <th>Value</th>
            <th>Source</th>
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
              <td data-label="Source" class="muted">
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

// Runs only on demand: it reads the whole store.
function ConsistencyCheck() {
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
        <h2>Consistency</h2>
        <span class="spring" />
        <button disabled={check === "asking"} onClick={run}>
          {check === "asking" ? "Checking…" : "Check the store"}
        </button>
      </header>
      <div class="pad">
        {check === null && (
          <p class="muted">Verifies that indexes, counts and histories agree. Reads every job.</p>
        )}
        {check === "asking" && <p class="muted">Reading every job…</p>}
        {check !== null && check !== "asking" && (
          <>
            <p role="status">
              {check.sound
                ? "Consistent"
                : plural(check.findings.length, "inconsistency", "inconsistencies")}
              : {count(check.jobsChecked)} jobs checked.
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
