import type { FieldDefect } from '../../errors.ts';
import type { Naming } from '../../runtime/naming/naming.ts';

/** A document of a chunk that was rendered; `position` is that of its row. */
export interface PackedDocument {
  readonly position: number;
  readonly sha256: string;
  readonly pages: number;
  readonly bytes: number;
  readonly crc32: number;
  /** Characters that no font has. */
  readonly missingCharacters: number;
  /** Null: it has neither reference nor file name. */
  readonly naming: Naming | null;
  /** Who signed it; null: it is not signed. */
  readonly signedBy: { readonly subject: string; readonly serialNumber: string } | null;
}

/** The results of the pending rows of a chunk. */
export interface RenderedChunk {
  readonly documents: readonly PackedDocument[];
  /** Rows that failed, by position. */
  readonly failures: ReadonlyMap<
    number,
    { code: string; message: string; fields?: readonly FieldDefect[] }
  >;
  /** The files of `documents`, in order, in any number of pieces; the callee takes ownership. */
  readonly pieces: readonly Uint8Array[];
}
