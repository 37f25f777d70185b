import { InvalidArgumentError } from 'commander';

/** Reads a whole number from 1 to `max`, or refuses the argument. */
export function toCount(max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= max) return value;
    // Commander puts the name of the option or argument and the value before it.
    throw new InvalidArgumentError(`Allowed: integer, 1 to ${max}.`);
  };
}
