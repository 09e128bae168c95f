/** Hands a finished file to the browser's downloads. */
export function saveFile({ name, content }: { readonly name: string; readonly content: Blob }): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download keeps the content by itself once the click is handled.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
