import "./strict.js";
import { useApp, useHostStyles } from "@modelcontextprotocol/ext-apps/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { AirportMap } from "./AirportMap.jsx";
import "./page.css";

/** A tool's name where the server is mounted: there it has the prefix that this page's own tool has. */
const named = (app, name) => app.getHostContext()?.toolInfo?.tool.name.replace("show_airports", name) ?? name;

function Page() {
  const [result, setResult] = useState();
  const [problem, setProblem] = useState();
  const show = ({ structuredContent, isError, content }) => {
    setProblem(isError ? content.map((block) => block.text).join(" ") : undefined);
    if (!isError) setResult(structuredContent);
  };
  const { app, error } = useApp({
    appInfo: { name: "airports", version: "1.0.0" },
    capabilities: {},
    onAppCreated: (created) => {
      created.ontoolresult = show;
      created.onteardown = async () => ({});
    },
  });
  useHostStyles(app, app?.getHostContext());

  const choose = (state) =>
    app
      .callServerTool({ name: named(app, "airports_of"), arguments: { state } })
      .then(show, (reason) => setProblem(reason.message));

  if (error) return <p role="alert">{error.message}</p>;
  return (
    <main>
      {result ? (
        <>
          <header>
            <h1>
              {result.count} airports in {result.state}
            </h1>
            <label>
              State{" "}
              <select value={result.state} onChange={(event) => choose(event.target.value)}>
                {result.states.map((state) => (
                  <option key={state}>{state}</option>
                ))}
              </select>
            </label>
          </header>
          <AirportMap key={result.state} airports={result.airports} />
        </>
      ) : (
        <p>Waiting for the tool…</p>
      )}
      {problem && <p role="alert">{problem}</p>}
    </main>
  );
}

createRoot(document.getElementById("root")).render(<Page />);
