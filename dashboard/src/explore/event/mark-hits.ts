/** Marks the matches within the texts of an element. */
export function markHits(element: HTMLElement, hits: RegExp): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) markIn(text, hits);
}

function markIn(node: Text, hits: RegExp): void {
  const text = node.data;
  const pieces: Node[] = [];
  let end = 0;
  for (const found of text.matchAll(hits)) {
    if (found[0] === '') continue;
    const mark = document.createElement('mark');
    mark.textContent = found[0];
    pieces.push(document.createTextNode(text.slice(end, found.index)), mark);
    end = found.index + found[0].length;
  }
  if (pieces.length > 0) node.replaceWith(...pieces, document.createTextNode(text.slice(end)));
}
