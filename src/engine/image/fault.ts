/** Why bytes, or a data URL, are refused as an image. */
export type ImageFault = 'notDataUrl' | 'base64' | 'type' | 'pixels' | 'side' | 'damaged' | 'slow';
