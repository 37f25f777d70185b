export class Face {}
