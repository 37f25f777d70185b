import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '../report/plot.ts';
import type { FlameNode } from './tree.ts';

/** A function over all places where it was called. */
export interface FlameRow {
  readonly name: string;
  readonly place: string;
  readonly selfMs: number;
  readonly share: number;
}

/** One profile on the page. */
export interface FlameGraph {
  /** `A: Thai receipt of one page`. */
  readonly title: string;
  readonly tree: FlameNode;
  readonly rows: readonly FlameRow[];
}

const ROWS_MAX = 60;

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/**
 * A page with the flame graphs and their tables: one file that needs no network. `warning`: why the
 * times are doubtful; null: they are not.
 */
export function flamePage(
  subtitle: string,
  graphs: readonly FlameGraph[],
  warning: string | null,
): string {
  const data = graphs.map(({ title, tree, rows }) => {
    return { title, tree: packed(tree), rows: rows.slice(0, ROWS_MAX) };
  });
  // "<" is escaped, so that no name ends the script.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Intaglio: where the time goes</title>
<style>${read('page.css')}</style>
</head>
<body>
<header>
<h1>Where the time goes</h1>
<p>${escapeHtml(subtitle)}</p>${warning === null ? '' : `\n<p class="busy">BUSY: ${escapeHtml(warning)}.</p>`}
<p class="controls"><span id="tabs" role="group" aria-label="shape"></span>
<label>Search <input id="search" type="search" placeholder="function or file"></label>
<button id="reset" type="button">Whole graph</button><output id="found"></output></p>
<p class="help">Click or Enter: zoom. Arrows: caller, callee, neighbours. Esc: whole graph. /: search.</p>
</header>
<main>
<section id="graph" aria-label="flame graph"></section>
<section id="beside"><output id="detail"></output>
<div class="wide"><table><caption>Time in the function itself</caption>
<thead><tr><th>%</th><th>ms</th><th>function</th></tr></thead><tbody id="rows"></tbody></table></div>
</section>
</main>
<script type="application/json" id="data">${json}</script>
<script>${read('page.js')}</script>
</body>
</html>
`;
}

type Packed = readonly [name: string, place: string, total: number, self: number, Packed[]];

/** A node as an array: names of keys would be half of the file. */
function packed({ name, place, totalMs, selfMs, children }: FlameNode): Packed {
  return [name, place, round(totalMs), round(selfMs), children.map(packed)];
}
