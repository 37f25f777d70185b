/** A field of a form at one place: plain data that crosses from the reader's thread. */
export interface FormField {
  /** Its full name: the partial names of its ancestors and its own, with points between. */
  readonly name: string;
  readonly kind:
    'text' | 'multiline' | 'comb' | 'checkbox' | 'radio' | 'choice' | 'button' | 'signature';
  /** From 1. */
  readonly page: number;
  /** On the upright page, in points from its top left corner. */
  readonly x: number;
  readonly y: number;
  readonly widthPt: number;
  readonly heightPt: number;
  /** How its text is turned on the upright page, clockwise in degrees. */
  readonly turn: 0 | 90 | 180 | 270;
  /** 0: as large as fits. */
  readonly fontSizePt: number;
  readonly alignment: 'left' | 'center' | 'right';
  readonly isRequired: boolean;
  readonly maxLength: number | null;
  readonly options: readonly string[];
  /** Name of a button's ticked state; '' for all other fields. */
  readonly state: string;
  /** The script that formats its value; '' without one. */
  readonly script: string;
  /** Whether the form gives its value, which nobody may change. */
  readonly isReadOnly: boolean;
  /** The value it is shown with; the name of the state of a button; '' for none. */
  readonly value: string;
}
