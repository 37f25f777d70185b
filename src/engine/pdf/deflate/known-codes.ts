/**
 * Lengths in bits of the codes that pages get, a hexadecimal digit each: 286 of literals and lengths,
 * then 30 of distances. `node scripts/make-codes.ts` made them from pages of samples.
 */
export const KNOWN_CODES: readonly string[] = [
  '8bbbbbbbbb7bbb7bbbbbbbbbbbbbbbbb5bbbbbbb67bb76585555556665bb9bbbb998978bbbbbb9b' +
    'bbbb97bbb9bb8bbbbbbb9bbbbbbbbabbbbbbb9bbbbbbbbbbb9bbbbbbbb8678999b788b78b8bbbbb' +
    'bbbb88b8b788bb8bb777b88bb78b7b888b9bbbbb88bbb9bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbb4555667667767788bbbb9bbbbbbbbbbb68655455444444444445567abb',
  'bbbbbbbbbb6bbbbbbbbbbbbbbbbbbbbb4bbbbbbb66bb76474455655555bbbbbbbb7bb9bbbbbbbbb' +
    'bbbba6bbb7bbbbbbbb6b877b7b7bb7777bb7b7bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbb55557766bbb6bbbbbbbbbbbbbbbbbbbb6b94643444443435567bbbbbbb',
  '8bbbbbbbbb6bbbbbbbbbbbbbbbbbbbbb4bbbbbbb56bb86575555556666bbbbbbbb88bbbbbbbbbbb' +
    'bbbb86bbbbbb8bbbbb687658b76bb77667b7767bbb8bbbbbb7bbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbb45557677bbb788bbbbbbbbbbbbbbbbb9669676544434344445456bbbbb',
  'bbbbbbbbbb7bbbbbbbbbbbbbbbbbbbbb4bbbbbbb56bb765b5555555566bbbbbbbbbbbbbbbbbbbbb' +
    'bbbbb7bbbbbbabbbbb6b776b9b6bb7777bb7767bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbb4554666677b6ab8bbbbbbbbbbbbbabbb9bb574554444443435456bbbbb',
  'bbbbbbbbbb8bbbbbbbbbbbbbbbbbbbbb6bbbbbbb78bb775b54555555557bbbbbbbbbbbbbbbbbbbb' +
    'bbbbb8bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb77bbbbb7bab8bbbbbbbb' +
    'bbbbbbbbb78bbbbbb887bbbbbbbb7b8bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbb565455666674667b88bbbbbbbbbbbbbbbb8554565645333545464766bb',
  'bbbbbbbbbb6bbbbbbbbbbbbbbbbbbbbb4bbbbbbb66bbb6575555666666bb7b8bb888b67bbbbbb8b' +
    'bbbb86bbbbbb79bbbb6b7768877bb88678b6767bbb8bbbbbbbbbbbbbbba678bbbb788b7abbbbbbb' +
    'bbbb8bb8b68bbbbbb787b88bb78b7b888bbbbbbbb8bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb' +
    'bbbbbbbbbbbbbbbbbbbbb5567777788b888b8bbbbbbbbbbbbbbbb7655655444443544444568bbbb',
];
