import type { Store, TemplateSummary } from '../../store/store.ts';
import { suggestion } from '../../runtime/nearest.ts';
import { NotFound } from './failure.ts';
import { userName } from './user-name.ts';

/** Throws when the team does not exist; the message suggests the nearest id. */
export async function demandTeam(store: Store, teamId: string): Promise<void> {
  const known = (await store.teams.list()).map((team) => team.teamId);
  if (known.includes(teamId)) return;
  if (known.length === 0) {
    const add = './intaglio teams add TEAM --name NAME';
    throw new NotFound(`there is no team ${teamId}, and no team at all; add one: ${add}`);
  }
  const hint = suggestion(teamId, known) || listHint(known.length, 'teams list');
  throw new NotFound(`there is no team ${teamId}${hint}`);
}

/** Throws when the team has no such template; the message suggests the nearest id. */
export async function demandTemplate(
  store: Store,
  teamId: string,
  templateId: string,
): Promise<TemplateSummary> {
  await demandTeam(store, teamId);
  const templates = await store.templates.list(teamId);
  const found = templates.find((template) => template.templateId === templateId);
  if (found !== undefined) return found;
  const known = templates.map((template) => template.templateId);
  const hint =
    suggestion(templateId, known) || listHint(known.length, `templates list --team ${teamId}`);
  throw new NotFound(`team ${teamId} has no template ${templateId}${hint}`);
}

/** Throws: there is no such user; the message suggests the nearest id. */
export async function refuseUnknownUser(store: Store, userId: string): Promise<never> {
  const known = (await store.users.list(null)).map((user) => user.userId);
  if (known.length > 0) {
    const hint = suggestion(userId, known) || listHint(known.length, 'users list');
    throw new NotFound(`there is no user ${userId}${hint}`);
  }
  const add = './intaglio users add USER --team TEAM --role Editor';
  throw new NotFound(`there is no user ${userId}, and no user at all; add one: ${add}`);
}

/** Throws for an id that does not exist. `list` is the command that shows the ids that do. */
export function refuseUnknown(
  kind: string,
  id: string,
  known: readonly string[],
  list: string,
): never {
  const hint = suggestion(id, known) || listHint(known.length, list);
  throw new NotFound(`there is no ${kind} ${id}${hint}`);
}

function listHint(count: number, list: string): string {
  return count === 0 ? '' : `; see ./intaglio ${list}`;
}

/** The account that runs a command, as in audit records: `command:<account>`. */
export function operator(): string {
  return `command:${userName()}`;
}
