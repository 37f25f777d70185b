/**
 * The commands of `PathData`: each is a number, followed by its operands.
 *
 *     0 x y               begin a subpath
 *     1 x y               a line
 *     2 x1 y1 x2 y2 x y   a cubic Bézier curve
 *     3                   close the subpath
 *     4 x y width height  a rectangle
 */
export const MOVE = 0;
export const LINE = 1;
export const CURVE = 2;
export const CLOSE = 3;
export const RECTANGLE = 4;

/** Length of each command with its operands. */
export const COMMAND_LENGTHS: readonly number[] = [3, 3, 7, 1, 5];
