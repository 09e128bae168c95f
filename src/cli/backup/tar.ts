const BLOCK = 512;
const CHECKSUM_AT = 148;

/** Files as a tar archive (POSIX ustar), which their owner alone may read. @param files names of 100 bytes at most */
export function packed(files: readonly { readonly name: string; readonly content: Buffer }[]): Buffer {
  const blocks = files.flatMap(({ name, content }) => [
    headerOf(name, content.length),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(' '.repeat(8), CHECKSUM_AT);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT);
  return header;
}
