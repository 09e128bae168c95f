/** Whether a click opens its row. A click that ends a selection of text does not. */
export const opensRow = (selection: Pick<Selection, 'isCollapsed' | 'toString'> | null): boolean =>
  selection === null || selection.isCollapsed || `${selection}`.trim() === '';

/** What a table does with a click on a row. */
export const onRow =
  <T>(open: (record: T) => void) =>
  ({ record }: { readonly record: T }): void => {
    if (opensRow(getSelection())) open(record);
  };
