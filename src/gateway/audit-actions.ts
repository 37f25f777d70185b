/**
 * Audit records name an action by the resource and the operation on it. `keys.use`: a revoked or
 * expired key was used. The Studio filters by the same list, so this module imports nothing.
 */
export const AUDIT_ACTIONS = [
  'generate',
  'documents.read',
  'documents.download',
  'templates.fields',
  'templates.read',
  'templates.draft',
  'templates.discard',
  'templates.publish',
  'templates.rollback',
  'templates.unpublish',
  'templates.archive',
  'templates.unarchive',
  'approvals.ask',
  'approvals.send_back',
  'approvals.withdraw',
  'keys.create',
  'keys.revoke',
  'keys.use',
  'sessions.open',
  'sessions.close',
  'sessions.link',
  'teams.create',
  'users.create',
  'users.role',
  'users.deactivate',
  'users.reactivate',
  'users.sign-out',
  'identities.sync',
  'runs.create',
  'runs.part',
  'runs.start',
  'runs.pause',
  'runs.resume',
  'runs.cancel',
  'runs.withdraw',
  'runs.read',
  'runs.download',
] as const;
/**
 * Reads are recorded only if they were refused, as attempts to read data of another team: reading
 * changes nothing.
 */
export const REFUSED_ONLY: readonly string[] = [
  'documents.read',
  'templates.fields',
  'templates.read',
  'runs.read',
];
/**
 * What operators do or confirm by commands. It concerns no team, so only the command `audit` shows it,
 * and the Studio of a team does not.
 */
export const OPERATOR_ACTIONS = [
  'backup.accept',
  'backup.restore',
  'files.accept',
  'files.rewrap',
  'files.sweep',
  'rows.accept',
] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
