/** A file in a quoted value, as the service shortens it. */
const FILE =
  /"?data:(?<type>[a-z]+\/[a-z0-9.+-]+);base64,\[(?:(?<width>\d+)x(?<height>\d+) px, )?(?<bytes>\d+) bytes, sha256 (?<digest>[0-9a-f]+)\]"?/gu;

export interface QuotedFile {
  /** Media type. */
  readonly type: string;
  readonly sizeBytes: number;
  /** Size as `300 × 20 px, `; '' where it is not known. */
  readonly pixels: string;
  /** Tells one content from another. */
  readonly digest: string;
}

/** A quoted value with names in place of its pictures and other files. */
export function withFileNames(value: string, nameOf: (file: QuotedFile) => string): string {
  return value.replaceAll(FILE, (...match) => {
    const groups = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const { type = '', width, height, bytes, digest = '' } = groups;
    const pixels = width === undefined ? '' : `${width} × ${height} px, `;
    return nameOf({ type, sizeBytes: Number(bytes), pixels, digest });
  });
}

/** The size, as `300x20`, of the picture that a quoted value is; null for any other value. */
export function pictureSize(value: string): string | null {
  const [match] = value.matchAll(FILE);
  const { type = '', width, height } = match?.groups ?? {};
  if (match?.[0] !== value || width === undefined || height === undefined) return null;
  return type.startsWith('image/') ? `${width}x${height}` : null;
}
