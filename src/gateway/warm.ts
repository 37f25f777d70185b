import { describeError } from '../log/log.ts';
import type { Services } from './route.ts';

/** Limit of the templates loaded at the start, because each renderer compiles them. */
const TEMPLATES_MAX = 8;
const TEAMS_ASKED_MAX = 20;
/** Audit records of this time and number show which templates were in use before the start. */
const RECENT_MS = 15 * 60_000;
const RECORDS_MAX = 500;
/** Templates of a team read at a time. */
const PAGE = 500;

interface Wanted {
  readonly teamId: string;
  readonly templateId: string;
  readonly version: number | null;
}

/**
 * Loads templates in every renderer before callers need them: those in use before the start, then
 * the latest published ones. It runs while requests are served. A failure is only logged, because
 * callers then merely wait for the first compilation.
 */
export async function warmUp(services: Services): Promise<void> {
  try {
    const wanted = new Map<string, Wanted>();
    for await (const one of candidates(services)) {
      wanted.set(JSON.stringify([one.teamId, one.templateId, one.version]), one);
      if (wanted.size >= TEMPLATES_MAX) break;
    }
    for (const { teamId, templateId, version } of wanted.values()) {
      if (services.isDraining()) return;
      const found = await services.templates.published(teamId, templateId, version);
      if (found.found) await services.pool.warm(found.value.shared);
    }
  } catch (error) {
    if (services.isDraining()) return;
    services.log.warn({ msg: 'templates not loaded ahead', err: describeError(error) });
  }
}

async function* candidates({ store, nowMs }: Services): AsyncGenerator<Wanted> {
  const sinceMs = nowMs() - RECENT_MS;
  const filter = { sinceMs, outcome: 'succeeded', countMax: RECORDS_MAX } as const;
  for (const { action, teamId, templateId, version } of await store.audit.list(filter)) {
    if (action === 'generate' && version !== null) yield { teamId, templateId, version };
  }
  const teams = await store.teams.list();
  for (const { teamId } of teams.slice(0, TEAMS_ASKED_MAX)) {
    const { items } = await store.templates.page(teamId, '', PAGE);
    for (const { templateId, latestVersion } of items) {
      if (latestVersion !== null) yield { teamId, templateId, version: latestVersion };
    }
  }
}
