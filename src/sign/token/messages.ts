/** The location of a key: a PKCS#11 module, a token in it, and a private key on the token. */
export interface TokenPlace {
  /** Path of the module, a shared library. */
  readonly module: string;
  /** Label of the token. */
  readonly token: string;
  /** Label of the private key. */
  readonly key: string;
}

/** Requests of the service to the token's process. */
export type TokenRequest =
  | { readonly kind: 'find'; readonly id: number; readonly place: TokenPlace }
  | { readonly kind: 'open'; readonly id: number; readonly place: TokenPlace; readonly pin: string }
  | {
      readonly kind: 'sign';
      readonly id: number;
      readonly keyKind: 'rsa' | 'ec';
      readonly data: string;
    };

/** Its answers: a value in base64 ('' after `find` and `open`), or why not. */
export type TokenAnswer =
  | { readonly id: number; readonly ok: true; readonly value: string }
  | { readonly id: number; readonly ok: false; readonly reason: string; readonly isFinal: boolean };
