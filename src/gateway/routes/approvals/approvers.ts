import type { Services } from '../../route.ts';

/**
 * Gives the function that tells whether an active Admin of the team may publish a draft with these
 * contributors: without one, a request would wait for nobody.
 */
export async function findApprovers(
  { store, options }: Services,
  teamId: string,
): Promise<(contributors: readonly string[]) => boolean> {
  const admins = await store.members.admins(teamId);
  return (contributors) =>
    admins.some((admin) => !options.publishApprovals || !contributors.includes(admin));
}
