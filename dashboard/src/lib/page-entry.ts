/** The file with which a page begins; its name has a hash of the content. @param html the text of the page */
export const entryOf = (html: string): string | null =>
  /<script type="module"[^>]*? src="([^"]+)"/.exec(html)?.[1] ?? null;
