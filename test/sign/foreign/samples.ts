import type { Fault, Note } from '../../../src/sign/verification/faults.ts';
import type { Verdict } from '../../../src/sign/verification/verify-signature.ts';
import type { Authority } from '../authority.ts';
import { opensslCms, stamped, timeStampToken } from './cms-maker.ts';
import { MadePdf } from './made-pdf.ts';

/** What a signature must be judged to be. */
export interface Expected {
  readonly after?: Verdict['after'];
  readonly level?: Verdict['level'];
  readonly faults?: readonly Fault[];
  readonly notes?: readonly Note[];
}

/** A file with what must be said of each of its signatures; an empty list: nothing is signed. */
export interface Sample {
  readonly name: string;
  readonly pdf: Uint8Array;
  readonly signatures: readonly Expected[];
}

export const NEW_YEAR_MS = Date.UTC(2026, 0, 1);

/** Files of one authority. */
export class Workshop {
  readonly authority: Authority;

  constructor(authority: Authority) {
    this.authority = authority;
  }

  plain(text = 'Pay 100 baht', dangling = false): MadePdf {
    return MadePdf.of(text, dangling);
  }

  cms(name: string, content: Buffer, words: readonly string[] = ['-cades']): Buffer {
    return opensslCms(this.authority, name, content, words);
  }

  /** A letter that the certificate's key signed. */
  signed(name = 'p256', words: readonly string[] = ['-cades']): MadePdf {
    return this.again(this.plain(), name, words);
  }

  again(made: MadePdf, name: string, words: readonly string[] = ['-cades']): MadePdf {
    return made.sign((content) => this.cms(name, content, words));
  }

  /** The same with a time stamp. */
  stamped(name: string, tsa: string, atMs: number, digest: 'sha1' | 'sha256' = 'sha256'): MadePdf {
    return this.plain().sign((content) =>
      stamped(this.cms(name, content), (value) => this.token(tsa, value, atMs, digest)),
    );
  }

  token(tsa: string, data: Uint8Array, atMs: number, digest: 'sha1' | 'sha256' = 'sha256'): Buffer {
    return timeStampToken(this.authority, tsa, data, atMs, digest);
  }

  /** An update with a document security store, as other programs write it. */
  withStore(made: MadePdf, crls: readonly Buffer[], more = ''): MadePdf {
    const from = made.size;
    const objects = new Map<number, string>();
    const list = crls.map((crl, index) => {
      objects.set(from + index, streamOf(crl));
      return `${from + index} 0 R`;
    });
    const catalog = made.text(1);
    const store = from + crls.length;
    objects.set(store, `<< /Type /DSS /CRLs [ ${list.join(' ')} ] ${more}>>`);
    objects.set(1, catalog.replace(/>>$/, ` /DSS ${store} 0 R >>`));
    return made.update(new Map([...objects].toSorted(([one], [other]) => one - other)));
  }
}

export function streamOf(data: Buffer): string {
  return `<< /Length ${data.length} >>\nstream\n${data.toString('latin1')}\nendstream`;
}
