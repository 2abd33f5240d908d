import "uplot/dist/uPlot.min.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/views.css";
import { render } from "preact";
import { App } from "./app";

render(<App />, document.getElementById("app") as HTMLElement);
