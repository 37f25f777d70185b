/**
 * A service to measure, with settings from the environment, templates from the files on the command
 * line and a separate database. It tells its parent where it listens, and ends when the channel to
 * the parent closes.
 */

import { readFileSync } from 'node:fs';
import { readConfig } from '../../src/settings/config.ts';
import { createLog } from '../../src/log/log.ts';
import { startService } from '../../src/start/main.ts';
import { demand } from '../../src/commands/console/context.ts';
import type { HostMessage } from './trial.ts';
import { templateIdOf } from './bodies.ts';

const TEAM = 'tune';

// Ctrl-C reaches the whole process group; the parent decides when this process ends.
process.on('SIGINT', () => undefined);
const parentEnded = new Promise<void>((resolve) => {
  process.once('disconnect', () => resolve());
  // The parent may have ended while this was loaded.
  if (!process.connected) resolve();
});

async function host(files: readonly string[]): Promise<void> {
  const config = readConfig(process.env);
  const service = await startService(config, createLog(config.logLevel));
  const { teams, keys, templates } = service.store;
  demand(await teams.add({ teamId: TEAM, name: TEAM }));
  const key = { teamId: TEAM, name: TEAM, scopes: ['generate'], rateLimitPerMinute: null } as const;
  const { apiKey } = demand(await keys.add(key));
  for (const [index, path] of files.entries()) {
    const templateId = templateIdOf(index);
    await templates.saveDraft(TEAM, templateId, templateId, readFileSync(path));
    const draft = await templates.draft(TEAM, templateId);
    if (draft.found) await templates.publish(TEAM, templateId, draft.value.hash);
  }
  tell({ kind: 'listening', url: service.url, apiKey });
  await parentEnded;
  await service.stop();
}

function tell(message: HostMessage): void {
  if (process.connected) process.send?.(message);
}

try {
  await host(process.argv.slice(2));
} catch (error) {
  tell({ kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' });
  process.exitCode = 1;
}
// A handle that a library holds must not keep a stopped service alive.
process.exit();
