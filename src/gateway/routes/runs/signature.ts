import type { Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import type { CreateRunRequest } from '../../../api/run-requests.ts';
import type { Envelope } from '../../body/envelope.ts';
import type { Services } from '../../route.ts';

const PRINTS =
  'documentsPerPrint: print files have no signatures, and the documents of this run are signed. Make' +
  ' the print files by another run.';

/** Reads `options.signature` of a run: whether its documents are signed. */
export function readRunSignature(
  { signing }: Services,
  teamId: string,
  { documentsPerPrint }: CreateRunRequest,
  { signature }: Pick<Envelope, 'signature'>,
): Outcome<boolean> {
  if (!signature) return succeed(false);
  if (documentsPerPrint !== undefined) return fail('bad_request', PRINTS);
  const bytesMax = signing?.offerFor(teamId).bytesMax ?? 0;
  return bytesMax === 0 ? fail('signing_unavailable') : succeed(true);
}
