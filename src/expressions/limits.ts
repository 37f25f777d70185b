/** Limits of one expression. */
export const EXPRESSION_LIMITS = {
  /** UTF-16 code units of the source. */
  sourceLengthMax: 2_000,
  /** Parentheses, lists, calls, conditionals and signs inside each other. */
  nestingMax: 50,
  /** Defects that are named; others are found when these are mended. */
  defectsMax: 50,
  /** Fields of a record that an expression makes, with those of the records inside it. */
  typeSizeMax: 2_000,
  /**
   * Steps of one evaluation. About one step is charged for each node of the expression, again for
   * each item that a macro visits, and more for what costs more, such as a division or a long text.
   */
  stepsMax: 50_000,
  /** UTF-16 code units of a text that an expression makes. */
  textLengthMax: 10_000,
  /** Digits of a number that an expression makes, before and after the point together. */
  digitsMax: 100,
  /** Digits after the point of a quotient and of an average. */
  quotientDecimals: 20,
  /** The most digits after the point that `round` takes. */
  roundDecimalsMax: 30,
} as const;
