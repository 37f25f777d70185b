/** The groups of operations in /openapi.json and /docs, by the resource that a path names. */
const GROUPS = {
  Documents: ['generate', 'documents', 'files', 'verify'],
  Runs: ['runs'],
  Templates: ['templates', 'previews', 'approvals'],
  Audit: ['audit'],
  Keys: ['keys'],
  Users: ['users', 'user-names'],
  Sessions: ['session', 'auth'],
  Identities: ['sync'],
} as const;

const NOTES: Readonly<Record<keyof typeof GROUPS, string>> = {
  Documents: 'Making documents, and finding them again.',
  Runs: 'A document for each row of a file.',
  Templates: 'Templates, their drafts and versions, and the fields that callers fill.',
  Audit: 'What was done, by whom, and with which outcome.',
  Keys: "API keys of the caller's team.",
  Users: "Users of the caller's team.",
  Sessions: 'Who is signed in.',
  Identities: 'Teams and users of all teams, for the system that manages them.',
};

/** The groups as OpenAPI declares them. */
export const TAGS = Object.entries(NOTES).map(([name, description]) => ({ name, description }));

/** The group of the operations of a path; empty for a resource without one. */
export function tagsOf(path: string): readonly string[] {
  const resource = path.split('/').find((part) => part !== '' && part !== 'v1') ?? '';
  const found = Object.entries(GROUPS).find(([, all]) =>
    (all as readonly string[]).includes(resource),
  );
  return found === undefined ? [] : [found[0]];
}
