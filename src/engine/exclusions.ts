import type { ErrorCode, Failure } from '../errors.ts';
import { fail } from '../errors.ts';
import type { RenderJob } from './job.ts';
import type { CompiledTemplate } from './model/nodes.ts';

/** The traits that the template or the request gives a document. Each is one bit. */
export const TRAITS = {
  archived: 1,
  tagged: 2,
  signed: 4,
  /** It is encrypted after it was rendered. */
  protected: 8,
  /** Stored documents are merged with it. */
  attached: 16,
  /** This instance cannot sign it. A draft needs no signature. */
  unsignable: 32,
} as const;

/** The properties of a job that exclude others, or that a template excludes. */
type Excluding = Pick<RenderJob, 'signature' | 'isProtected' | 'isPreview' | 'attachments'>;

export function traitsOf(job: Excluding, template: CompiledTemplate): number {
  const { signature, isProtected, isPreview, attachments } = job;
  const { kind, isTagged, isSigned } = template.profile;
  let traits = 0;
  if (kind === 'archive') traits |= TRAITS.archived;
  if (isTagged) traits |= TRAITS.tagged;
  if (isSigned || (signature?.isAsked ?? false)) traits |= TRAITS.signed;
  if (isProtected) traits |= TRAITS.protected;
  if (attachments.length > 0) traits |= TRAITS.attached;
  if (!isPreview && !((signature?.bytesMax ?? 0) > 0)) traits |= TRAITS.unsignable;
  return traits;
}

interface Exclusion {
  /** The traits that no document has together. */
  readonly traits: number;
  readonly code: ErrorCode;
  /** Absent: the message of the code. */
  readonly message?: string;
}

/** In the order in which they are reported. */
const EXCLUSIONS: readonly Exclusion[] = [
  {
    // ISO 19005-2 §6.1.3, ISO 19005-3 §6.1.3: no Encrypt in the trailer.
    traits: TRAITS.archived | TRAITS.protected,
    code: 'bad_request',
    message:
      'options.protection: documents of this template are archived, and an archive document is ' +
      'never encrypted (PDF/A); leave protection out.',
  },
  { traits: TRAITS.signed | TRAITS.unsignable, code: 'signing_unavailable' },
  {
    traits: TRAITS.tagged | TRAITS.attached,
    code: 'bad_request',
    message:
      'options.attach: documents of this template are tagged, and the tags of several documents ' +
      'are not merged; leave attach out.',
  },
];

/** Why no document has these traits together; null: it may have them. */
export function findExclusion(traits: number): Failure | null {
  for (const exclusion of EXCLUSIONS) {
    if ((traits & exclusion.traits) === exclusion.traits) {
      return fail(exclusion.code, exclusion.message);
    }
  }
  return null;
}
