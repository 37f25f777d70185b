/**
 * A fault of the template that shows only while it is laid out: thrown deep inside, caught by
 * layoutDocument alone. The message names what and how to mend it, never data.
 */
export class LayoutFault extends Error {
  /** JSON path of the node at fault. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}
