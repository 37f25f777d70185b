import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { readExposition } from './fixtures/exposition.ts';
import { post, startTestService } from '../lab/service/gateway.ts';
import { HOME } from '../lab/home.ts';

/** A running service exposes the metrics and labels that the files in deploy/ query. */

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: Place;
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly datasource: { readonly uid: string };
  }[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: unknown;
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

const COLUMNS = 24;
const read = (path: string): string => readFileSync(join(HOME, 'deploy', path), 'utf8');
const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const charts = dashboard.panels.filter(({ type }) => type !== 'row');
const expressions = charts.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ where: title, expr })),
);

/** The value of every `expr:` of the rules; a block ends where the indentation does. */
function ruleExpressions(yaml: string): { where: string; expr: string }[] {
  const rules = yaml.split(/^ {6}- alert: /m).slice(1);
  return rules.map((rule) => {
    const [, line = '', block = ''] = /^ {8}expr: (.*)\n((?: {10}.*\n)*)/m.exec(rule) ?? [];
    return { where: rule.split('\n', 1)[0] ?? '', expr: line === '|' ? block : line };
  });
}

const rules = ruleExpressions(read('alerts.yml'));

t.test('the dashboard has the parts that an import needs', async (t) => {
  t.match(dashboard.uid, /^[\w-]{1,40}$/);
  t.not(dashboard.title, '');
  t.ok(dashboard.schemaVersion >= 36);
  const variables = dashboard.templating.list;
  t.match(
    variables.find(({ name }) => name === 'datasource'),
    { type: 'datasource', query: 'prometheus' },
  );
  const known = new Set(['$__rate_interval', ...variables.map(({ name }) => `$${name}`)]);
  for (const { where, expr } of expressions) {
    for (const [used] of expr.matchAll(/\$\w+/g)) t.ok(known.has(used), `${where}: ${used}`);
  }
  for (const panel of charts) {
    t.match(panel.type, /^(?:stat|timeseries)$/, panel.title);
    t.equal(panel.datasource?.uid, '${datasource}', panel.title);
    t.not(panel.fieldConfig?.defaults.unit ?? '', '', panel.title);
    t.ok((panel.description ?? '').length > 10, `${panel.title} is explained`);
    const targets = panel.targets ?? [];
    t.ok(targets.length > 0, panel.title);
    t.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, panel.title);
    for (const { datasource } of targets) t.equal(datasource.uid, '${datasource}');
  }
  const { panels } = dashboard;
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'an id each');
});

t.test('panels neither overlap nor leave the grid', async (t) => {
  const taken = new Map<string, string>();
  for (const { title, gridPos } of dashboard.panels) {
    const { x, y, w, h } = gridPos;
    t.ok(x >= 0 && w > 0 && x + w <= COLUMNS, title);
    for (let row = y; row < y + h; row += 1) {
      for (let column = x; column < x + w; column += 1) {
        const cell = `${column} ${row}`;
        if (taken.has(cell)) t.fail(`${title} lies on ${taken.get(cell)}`);
        taken.set(cell, title);
      }
    }
  }
});

/** The names in an expression: metrics, selecting labels with each value, grouping labels. */
function namesOf(expr: string): {
  metrics: string[];
  values: [label: string, value: string][];
  groups: string[];
} {
  const bare = expr.replaceAll(/"[^"]*"/g, '""');
  return {
    metrics: [...bare.matchAll(/\b(?:intaglio|nodejs|process)_\w+|\bup\b/g)].map(([name]) => name),
    values: [...expr.matchAll(/(\w+)=~?"([^"]*)"/g)].flatMap(([, label = '', text = '']) =>
      text.split('|').map((value): [string, string] => [label, value]),
    ),
    groups: [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */)),
  };
}

/** Labels that Prometheus adds itself. */
const OF_SCRAPER = new Set(['instance', 'job', 'le']);

async function exposed(t: Test): Promise<string> {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  for (const mode of ['sync', 'async']) {
    const body = { templateId: 'receipt', mode, data: { customer: 'c' } };
    const reply = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
    t.equal(reply.ok, true);
    await reply.arrayBuffer();
  }
  return (await fetch(`${service.url}/metrics`)).text();
}

t.test('every metric, label and value asked for is exposed by a running service', async (t) => {
  const text = await exposed(t);
  const families = readExposition(text);
  t.ok(expressions.length > 30 && rules.length > 8);
  for (const { where, expr } of [...expressions, ...rules]) {
    const { metrics, values, groups } = namesOf(expr);
    t.ok(metrics.length > 0, where);
    for (const metric of metrics) {
      // `up` is added by Prometheus; figures of the process exist on Linux only.
      if (metric === 'up' || (metric.startsWith('process_') && process.platform !== 'linux')) {
        continue;
      }
      const family = families.get(metric.replace(/_(?:bucket|sum|count)$/, ''));
      t.ok(families.has(metric) || family?.type === 'histogram', `${where}: ${metric}`);
    }
    for (const [label, value] of values.filter(([name]) => !OF_SCRAPER.has(name))) {
      t.ok(text.includes(`${label}="${value}"`), `${where}: ${label}="${value}"`);
    }
    for (const label of groups.filter((name) => !OF_SCRAPER.has(name) && name !== 'kind')) {
      t.ok(text.includes(`${label}="`), `${where}: ${label}`);
    }
  }
});

t.test('every metric is on the dashboard and explained in docs/operations.md', async (t) => {
  const page = readFileSync(join(HOME, 'docs/operations.md'), 'utf8');
  const asked = expressions.map(({ expr }) => expr).join('\n');
  for (const name of readExposition(await exposed(t)).keys()) {
    if (!name.startsWith('intaglio_')) continue;
    t.ok(asked.includes(name), `dashboard: ${name}`);
    t.ok(page.includes(`\`${name}`), `docs/operations.md: ${name}`);
  }
  for (const { where } of rules)
    t.ok(page.includes(`\`${where}\``), `docs/operations.md: ${where}`);
});

t.test('the reader of expressions finds each part', async (t) => {
  const expr = 'sum by (le, route) (rate(intaglio_a_bucket{x=~"b|c", y="d"}[5m])) / up > 0';
  t.strictSame(namesOf(expr), {
    metrics: ['intaglio_a_bucket', 'up'],
    values: [
      ['x', 'b'],
      ['x', 'c'],
      ['y', 'd'],
    ],
    groups: ['le', 'route'],
  });
});
