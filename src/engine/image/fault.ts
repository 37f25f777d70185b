/** Why bytes, or a data URL, are refused as an image; contract/reasons.ts has the texts for callers. */
export type ImageFault = 'notDataUrl' | 'base64' | 'type' | 'pixels' | 'side' | 'damaged' | 'slow';
