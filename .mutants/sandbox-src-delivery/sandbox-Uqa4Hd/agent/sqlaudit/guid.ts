/** The text of the GUID in the 16 bytes at `at`, in lower case with dashes. Its first three groups are little-endian. */
export function guidText(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + 16);
  const swap = (from: number, to: number) => {
    let out = '';
    for (let i = to - 2; i >= from; i -= 2) out += hex.slice(i, i + 2);
    return out;
  };
  return `${swap(0, 8)}-${swap(8, 12)}-${swap(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
