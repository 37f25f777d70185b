import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse, parseAllDocuments, stringify } from 'yaml';

import { readConfig, unknownSettings } from '../../src/settings/config.ts';
import { HOME } from '../../lab/home.ts';
import { ChartFails, renderChart } from './chart.ts';

type Values = Readonly<Record<string, unknown>>;

const PEER = { ipBlock: { cidr: '10.0.0.5/32' } };
const SINGLE = { replicas: 1 };
const CLUSTER = {
  database: { secretName: 'db' },
  files: { secretName: 's3' },
  links: { secretName: 'links' },
  networkPolicy: { database: { to: [PEER] }, files: { to: [PEER] } },
};
const EVERYTHING = {
  ...CLUSTER,
  encryption: { secretName: 'keys' },
  audit: { secretName: 'audit' },
  oidc: { secretName: 'oidc' },
  signers: { secretName: 'signers' },
  tls: { secretName: 'cert' },
  fonts: { volume: { persistentVolumeClaim: { claimName: 'fonts', readOnly: true } } },
  extraVolumes: [{ name: 'hsm', hostPath: { path: '/opt/hsm' } }],
  extraVolumeMounts: [{ name: 'hsm', mountPath: '/opt/hsm' }],
  settings: { INTAGLIO_TRUSTED_PROXIES: '10.0.0.0/8' },
  settingsFrom: [{ secretRef: { name: 'more' } }],
  autoscaling: { enabled: true },
  ingress: { enabled: true, host: 'pdf.bank.example', className: 'nginx', secretName: 'pdf' },
  networkPolicy: {
    ...CLUSTER.networkPolicy,
    fromNamespaces: ['ingress-nginx', 'monitoring'],
    to: [{ ports: [{ port: 6379 }] }],
  },
  serviceMonitor: { enabled: true },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  jobs: {
    backup: { enabled: true, volume: { persistentVolumeClaim: { claimName: 'backups' } } },
    scrub: { enabled: true },
  },
};

function kinds(documents: readonly Values[]): string[] {
  return documents.map(({ kind }) => String(kind)).toSorted();
}

function find(documents: readonly Values[], kind: string, name = 'bank-intaglio'): Values {
  const found = documents.find((each) => {
    return each['kind'] === kind && (each['metadata'] as Values)['name'] === name;
  });
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** The value at a path such as `spec.rules.0.host`. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Values)[key], value);
}

const POD = 'spec.template.spec';

t.test(
  'one instance with SQLite: a volume, a service, nothing that was not asked for',
  async (t) => {
    const documents = renderChart(SINGLE);
    t.strictSame(kinds(documents), [
      'Deployment',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'Service',
    ]);
    const deployment = find(documents, 'Deployment');
    t.equal(at(deployment, 'spec.strategy.type'), 'Recreate');
    t.match(at(deployment, `${POD}.containers.0.livenessProbe.httpGet`), { scheme: 'HTTP' });
  },
);

t.test('settings and files of a pod are those that the service reads', async (t) => {
  const container = at(find(renderChart(EVERYTHING), 'Deployment'), `${POD}.containers.0`);
  const env = at(container, 'env') as { name: string; value: string }[];
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  t.strictSame(unknownSettings(given), []);
  const mounts = (at(container, 'volumeMounts') as { mountPath: string }[]).map(
    ({ mountPath }) => mountPath,
  );
  const files = env.filter(({ value }) => value.startsWith('/'));
  t.equal(files.length, 10);
  for (const { name, value } of files) {
    t.ok(
      mounts.some((mount) => `${value}/`.startsWith(`${mount}/`)),
      `${name}: ${value}`,
    );
  }
  // What is wrong is only that these files are not on this machine.
  const faults = String(t.throws(() => readConfig(given)));
  t.equal(given['INTAGLIO_BASE_URL'], 'https://pdf.bank.example');
  t.ok(
    faults.split('\n').every((line) => /_FILE|ENOENT|^true|must have/.test(line)),
    faults,
  );
  const volumes = at(find(renderChart(EVERYTHING), 'Deployment'), `${POD}.volumes`);
  const names = new Set((volumes as { name: string }[]).map(({ name }) => name));
  for (const { name } of at(container, 'volumeMounts') as { name: string }[]) {
    t.ok(names.has(name), `volume ${name}`);
  }
});

t.test('the network policy lets database and storage through, or does not render', async (t) => {
  const policy = find(renderChart(CLUSTER), 'NetworkPolicy');
  t.match(at(policy, 'spec.egress'), [
    { ports: [{ port: 53 }, { port: 53 }] },
    { ports: [{ port: 3306 }], to: [PEER] },
    { ports: [{ port: 443 }], to: [PEER] },
  ]);
  const { database, files } = CLUSTER.networkPolicy;
  for (const [networkPolicy, message] of [
    [{ files }, /networkPolicy\.database\.to/],
    [{ database }, /networkPolicy\.files\.to/],
  ] as const) {
    t.throws(() => renderChart({ ...CLUSTER, networkPolicy }), new ChartFails(), String(message));
    t.throws(() => renderChart({ ...CLUSTER, networkPolicy }), { message });
  }
  t.doesNotThrow(() => renderChart({ ...CLUSTER, networkPolicy: { enabled: false } }));
  t.doesNotThrow(() => renderChart({ ...CLUSTER, networkPolicy: { to: [{ to: [PEER] }] } }));
  const shut = { ...CLUSTER, serviceMonitor: { enabled: true } };
  t.throws(() => renderChart(shut), { message: /networkPolicy\.fromNamespaces/ });
});

t.test('everything: probes and scrapes speak HTTPS, the Ingress shows no figures', async (t) => {
  const documents = renderChart(EVERYTHING);
  t.strictSame(kinds(documents), [
    'CronJob',
    'CronJob',
    'Deployment',
    'HorizontalPodAutoscaler',
    'Ingress',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'PrometheusRule',
    'Service',
    'ServiceMonitor',
  ]);
  const container = at(find(documents, 'Deployment'), `${POD}.containers.0`);
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    t.equal(at(container, `${probe}.httpGet.scheme`), 'HTTPS', probe);
  }
  const elsewhere = { INTAGLIO_TLS_CERT_FILE: '/x', INTAGLIO_TLS_KEY_FILE: '/y' };
  const own = find(renderChart({ ...SINGLE, settings: elsewhere }), 'Deployment');
  t.equal(at(own, `${POD}.containers.0.readinessProbe.httpGet.scheme`), 'HTTPS');
  t.match(at(find(documents, 'ServiceMonitor'), 'spec.endpoints.0'), { scheme: 'https' });
  const paths = at(find(documents, 'Ingress'), 'spec.rules.0.http.paths') as { path: string }[];
  t.ok(paths.some(({ path }) => path === '/v1'));
  t.notOk(paths.some(({ path }) => /^\/(?:metrics|readyz)?$/.test(path)));
});

t.test('the rules of the chart are the alerts of deploy/', async (t) => {
  const alerts = readFileSync(join(HOME, 'deploy/alerts.yml'), 'utf8');
  t.equal(readFileSync(join(HOME, 'deploy/helm/intaglio/alerts.yml'), 'utf8'), alerts);
  const rule = find(renderChart(EVERYTHING), 'PrometheusRule');
  t.strictSame(rule['spec'], parse(alerts));
  t.match(at(rule, 'metadata.labels'), { release: 'prometheus' });
});

t.test('jobs: no requests reach their pods, and the network policy holds for them', async (t) => {
  const documents = renderChart(EVERYTHING);
  const selector = at(find(documents, 'Service'), 'spec.selector') as Record<string, string>;
  const allowed = at(
    find(documents, 'NetworkPolicy'),
    'spec.podSelector.matchExpressions.0.values',
  );
  for (const name of ['backup', 'scrub']) {
    const job = at(find(documents, 'CronJob', `bank-intaglio-${name}`), 'spec.jobTemplate.spec');
    const labels = at(job, 'template.metadata.labels') as Record<string, string>;
    t.notOk(
      Object.entries(selector).every(([key, value]) => labels[key] === value),
      name,
    );
    t.ok((allowed as string[]).includes(labels['app.kubernetes.io/name'] ?? ''), name);
    t.match(at(job, 'template.spec.containers.0.env'), [{ name: /DATABASE_URL_FILE/ }]);
  }
  const backup = find(documents, 'CronJob', 'bank-intaglio-backup');
  const pod = at(backup, 'spec.jobTemplate.spec.template.spec');
  t.match(at(pod, 'containers.0.args.0'), /intaglio backup .* && find \/backup .* -mtime \+14 /);
  const beside = { ...SINGLE, jobs: { scrub: { enabled: true } } };
  const scrub = find(renderChart(beside), 'CronJob', 'bank-intaglio-scrub');
  t.match(at(scrub, 'spec.jobTemplate.spec.template.spec.affinity'), { podAffinity: {} });
  const lost = { ...SINGLE, jobs: { backup: { enabled: true } } };
  t.throws(() => renderChart(lost), { message: /jobs\.backup\.volume/ });
});

t.test('what cannot work does not render', async (t) => {
  for (const [values, message] of [
    [{}, /database\.secretName: more than one replica/],
    [{ ...CLUSTER, links: { secretName: '' } }, /links\.secretName/],
    [{ ...CLUSTER, files: { secretName: '' } }, /files\.secretName/],
    [{ ...SINGLE, ingress: { enabled: true }, networkPolicy: { from: [{}] } }, /ingress\.host/],
    [{ ...SINGLE, settings: { INTAGLIO_PORT: '9000' } }, /settings\.INTAGLIO_PORT/],
  ] as const) {
    t.throws(() => renderChart(values), { message }, String(message));
  }
});

t.test('helm renders the same, where it is installed', async (t) => {
  if (spawnSync('helm', ['version']).status !== 0) return t.comment('helm is not installed');
  for (const values of [SINGLE, CLUSTER, EVERYTHING]) {
    const args = ['template', 'bank', join(HOME, 'deploy/helm/intaglio'), '--values', '-'];
    const helm = spawnSync('helm', args, { input: stringify(values), encoding: 'utf8' });
    t.equal(helm.status, 0, helm.stderr);
    const documents = parseAllDocuments(helm.stdout).map((each) => each.toJS() as Values);
    const sorted = (list: readonly Values[]): Values[] =>
      list.toSorted((a, b) =>
        JSON.stringify(a['metadata']) < JSON.stringify(b['metadata']) ? -1 : 1,
      );
    t.strictSame(sorted(documents), sorted(renderChart(values)));
  }
});
