import t from 'tap';
import { fitsQrCode } from './capacity.ts';
import { encodeQr } from './qr.ts';

/**
 * The contract refuses exactly the texts that the encoder cannot draw. Neither may import the
 * other, so this test compares them.
 */
t.test('capacity by level, version and mode is the encoder’s', async (t) => {
  const texts = ['7', 'A', 'a', 'ก'];
  for (const eccLevel of ['L', 'M', 'Q', 'H'] as const) {
    for (const version of [1, 2, 6, 7, 9, 10, 14, 21, 26, 27, 28, 34, 35, 39, 40, null]) {
      for (const sign of texts) {
        const use = { eccLevel, version, mode: null, before: '', after: '' };
        const fits = (length: number): boolean => fitsQrCode(sign.repeat(length), use);
        let most = 0;
        for (let step = 4096; step >= 1; step /= 2) if (fits(most + step)) most += step;
        const draws = (length: number): boolean =>
          encodeQr(sign.repeat(length), { eccLevel, version, mode: null, mask: 0 }) !== null;
        const name = `${eccLevel}, version ${version}, ${most} x ${sign}`;
        t.ok(draws(most) && !draws(most + 1), name);
      }
    }
  }
});

t.test('each mode holds exactly what the encoder holds', async (t) => {
  for (const mode of ['numeric', 'alphanumeric', 'octet', null] as const) {
    for (const text of ['123', 'AB C', 'ab c', 'a,b', 'ก', '1'.repeat(3000), 'a'.repeat(4000)]) {
      const use = { eccLevel: 'L', version: null, mode } as const;
      const drawn = encodeQr(text, { ...use, mask: 0 }) !== null;
      t.equal(
        fitsQrCode(text, { ...use, before: '', after: '' }),
        drawn,
        `${mode} ${text.slice(0, 9)}`,
      );
    }
  }
});
