import { parseArgs } from 'node:util';
import { readConfig, storeSettings } from '../../src/config.ts';
import type { Outcome } from '../../src/errors.ts';
import { openStore } from '../../src/store/open.ts';
import { EXTRA_TEMPLATES } from './extra.ts';
import { SHAPES } from '../shapes/index.ts';
import { SHAPE_NAMES } from '../shapes/sheet.ts';

/**
 * Fills the configured store for the HTTP bench: one team, its keys, the named shapes published.
 * Prints the keys as JSON. A process of its own: the bench itself opens no store.
 */
const TEAM = 'bench';

function demand<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`${outcome.code}: ${outcome.message}`);
}

const { positionals } = parseArgs({ allowPositionals: true, options: {} });
const config = readConfig(process.env);
const store = await openStore(storeSettings(config, (text) => process.stderr.write(`${text}\n`)));
try {
  await store.migrate();
  demand(await store.teams.add({ teamId: TEAM, name: 'Bench' }));
  const keys: string[] = [];
  for (const name of ['first', 'second', 'third', 'fourth', 'fifth']) {
    const scopes = ['generate', 'documents:read'] as const;
    const rateLimitPerMinute = config.rateLimitPerMinute;
    const key = { teamId: TEAM, name, scopes: [...scopes], rateLimitPerMinute };
    keys.push(demand(await store.keys.add(key)).apiKey);
  }
  const names = SHAPE_NAMES.filter((known) => positionals.includes(known));
  const shapes: Readonly<Record<string, unknown>>[] = names.map((name) => SHAPES[name].template);
  for (const template of [...shapes, ...EXTRA_TEMPLATES]) {
    const templateId = String(template['templateId']);
    const bytes = Buffer.from(JSON.stringify(template));
    await store.templates.saveDraft(TEAM, templateId, String(template['name']), bytes);
    const draft = await store.templates.draft(TEAM, templateId);
    if (!draft.found) throw new Error(`the draft of ${templateId} is not there`);
    await store.templates.publish(TEAM, templateId, draft.value.hash);
  }
  process.stdout.write(`${JSON.stringify(keys)}\n`);
} finally {
  await store.close();
}
