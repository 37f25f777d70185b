/**
 * A fault of the template that shows only during layout. Any part of layout may throw it; only
 * layoutDocument catches it. The message says what is wrong and how to mend it, never data.
 */
export class LayoutFault extends Error {
  /** JSON path of the node at fault. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}
