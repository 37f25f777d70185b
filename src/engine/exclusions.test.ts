import t from 'tap';

import { SAMPLE_DATA, sampleTemplate } from '../../tools/pdfa/mutations/sample.ts';
import { render, shareTemplate, tryRender } from '../../lab/render.ts';
import { TRAITS } from './exclusions.ts';

/** How a template or a request gives a document each trait. */
interface Given {
  readonly template: { readonly archive?: string; readonly signature?: boolean };
  readonly document: { readonly tagged?: boolean; readonly info?: object };
  readonly options: Parameters<typeof tryRender>[2];
}

const ARCHIVE = { archive: 'PDF/A-2u' };
const ROOM = { isAsked: false, bytesMax: 5_000, signer: 'bank' };
const { pdf: attachment } = await render(shareTemplate(sampleTemplate(ARCHIVE)), SAMPLE_DATA);

const WAYS: Readonly<Record<string, Partial<Given> & { readonly trait: keyof typeof TRAITS }>> = {
  archived: { trait: 'archived', template: ARCHIVE },
  tagged: { trait: 'tagged', document: { tagged: true, info: { title: 'x' } } },
  'signed by its template': { trait: 'signed', template: { signature: true } },
  'signed on request': { trait: 'signed', options: { signature: { ...ROOM, isAsked: true } } },
  protected: { trait: 'protected', options: { isProtected: true } },
  attached: { trait: 'attached', options: { attachments: [attachment] } },
  unsignable: { trait: 'unsignable', options: { signature: { ...ROOM, bytesMax: 0 } } },
};

/** The pairs that are refused, with what the refusal says; every other pair gives a document. */
const REFUSED: Readonly<Record<string, { readonly code: string; readonly message?: RegExp }>> = {
  'archived protected': { code: 'bad_request', message: /archived.*protection/s },
  'signed unsignable': { code: 'signing_unavailable' },
  'tagged attached': { code: 'bad_request', message: /tagged.*attach/s },
};

t.test('every pair of traits gives a document, or the refusal of the table', async (t) => {
  t.strictSame(
    new Set(Object.values(WAYS).map(({ trait }) => trait)),
    new Set(Object.keys(TRAITS)),
    'each trait is tried',
  );
  const ways = Object.entries(WAYS);
  for (const [index, [name, one]] of ways.entries()) {
    for (const [otherName, other] of ways.slice(index + 1)) {
      if (one.trait === other.trait) continue;
      const refusal = REFUSED[`${one.trait} ${other.trait}`];
      const result = await renderWith(one, other);
      t.match(result, refusal === undefined ? { ok: true } : { ok: false, ...refusal }, {
        pair: `${name}, ${otherName}`,
      });
    }
  }
});

/** Renders with both; a document whose request does not say more can be signed. */
function renderWith(one: Partial<Given>, other: Partial<Given>): ReturnType<typeof tryRender> {
  const template = { ...one.template, ...other.template };
  const document = { ...one.document, ...other.document };
  // Both may say something of the signature: nothing of it is lost.
  const signature = { ...ROOM, ...one.options?.signature, ...other.options?.signature };
  const isAsked = [one, other].some(({ options }) => options?.signature?.isAsked === true);
  const options = { ...one.options, ...other.options, signature: { ...signature, isAsked } };
  return tryRender(shareTemplate(sampleTemplate(template, document)), SAMPLE_DATA, options);
}
