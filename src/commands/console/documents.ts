import type { DocumentRecord, Store } from '../../store/store.ts';

/** What `documentsWithReference` looks for. */
interface ReferenceSearch {
  /** Undefined: in every team. */
  readonly team: string | undefined;
  readonly reference: string;
  readonly countMax: number;
}

/** The stored documents with a reference, of one team or of all, the newest first. */
export async function documentsWithReference(
  store: Store,
  { team, reference, countMax }: ReferenceSearch,
): Promise<readonly DocumentRecord[]> {
  const teams =
    team === undefined ? (await store.teams.list()).map(({ teamId }) => teamId) : [team];
  const found: DocumentRecord[] = [];
  for (const teamId of teams) {
    const { documents } = await store.documents.list({ teamId, reference, countMax });
    found.push(...documents);
  }
  const newestFirst = found.toSorted((a, b) => (a.documentId < b.documentId ? 1 : -1));
  return newestFirst.slice(0, countMax);
}
