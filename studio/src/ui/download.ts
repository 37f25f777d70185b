/** Saves bytes as a file of that name, as if a link to it had been followed. */
export function saveFile(name: string, type: string, content: Uint8Array | string): void {
  const bytes = typeof content === 'string' ? content : new Uint8Array(content);
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
