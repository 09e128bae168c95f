const SHOWN_CHARS = 310;
const SCANNED_CHARS = 32_768;
const BLANK = '***';
/** A shorter secret is no secret, and texts without its letters say nothing. */
const SECRET_CHARS = 4;
/** Parts of a secret, such as a token behind its scheme or the value of a cookie. */
const PART_CHARS = 8;
const PARTS_MAX = 16;

/**
 * Makes texts of a receiver fit to be stored and shown: on one line, cut to 310 characters, and with `***` in place of
 * each secret. A receiver that repeats the request would give secrets away otherwise.
 * @param secrets at least 4 characters each; shorter ones are not looked for
 */
export function secretBlanker(secrets: readonly string[]): (text: string) => string {
  let forms: readonly Form[] | undefined;
  return (text) => {
    forms ??= formsOf(secrets);
    return blanked(onOneLine(text), forms).slice(0, SHOWN_CHARS);
  };
}

/** A way in which a secret may stand in a text. */
interface Form {
  readonly text: string;
  /** The letters beside it, each of which may hold a part of it too. */
  readonly beside?: RegExp;
}

/** Without characters that a log or a database refuses. */
const onOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\uFFFD]+/gu, ' ').trim();

function blanked(text: string, forms: readonly Form[]): string {
  const scanned = text.slice(0, SCANNED_CHARS);
  // A secret that begins before this place is scanned whole.
  const longest = forms.reduce((most, form) => Math.max(most, form.text.length), 0);
  const end = text.length > SCANNED_CHARS ? SCANNED_CHARS - longest : text.length;
  const isSecret = new Uint8Array(scanned.length);
  for (const { text: form, beside } of forms)
    for (let at = scanned.indexOf(form); at >= 0; at = scanned.indexOf(form, at + 1)) {
      isSecret.fill(1, at, at + form.length);
      const isBeside = (i: number) => !isSecret[i] && beside?.test(scanned[i] ?? '');
      for (let i = at - 1; isBeside(i); i--) isSecret[i] = 1;
      for (let i = at + form.length; isBeside(i); i++) isSecret[i] = 1;
    }
  let shown = '';
  for (let at = 0; at < end && shown.length < SHOWN_CHARS; at++) {
    if (!isSecret[at]) shown += scanned[at];
    else if (!isSecret[at - 1]) shown += BLANK;
  }
  return shown;
}

function formsOf(secrets: readonly string[]): readonly Form[] {
  const wanted = [
    ...secrets.map(onOneLine).filter(({ length }) => length >= SECRET_CHARS),
    ...secrets.flatMap(partsOf).filter((part) => part.length >= PART_CHARS && part === onOneLine(part)),
  ];
  const written = [...new Set(wanted.flatMap((text) => WRITTEN.map((write) => write(text))))];
  const encoded = new Set(written.flatMap(base64Of));
  return [...written.map((text) => ({ text })), ...[...encoded].map((text) => ({ text, beside: IN_BASE64 }))];
}

/** Words of a header or a query, decoded too: a login of Basic authentication, a parameter of a URL. */
function partsOf(secret: string): string[] {
  const words = secret.split(/[\s;,&?]+/).flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  return words.slice(0, PARTS_MAX).flatMap((word) => {
    const login = Buffer.from(word, 'base64').toString('utf8');
    return [word, percentDecoded(word), login, login.slice(login.indexOf(':') + 1)];
  });
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const percentEncoded = encodeURIComponent;
const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** How texts are written in pages, URLs and JSON. */
const WRITTEN: readonly ((text: string) => string)[] = [
  (text) => text,
  percentEncoded,
  (text) => lower(percentEncoded(text)),
  (text) => percentEncoded(text).replaceAll('%20', '+'),
  inJson,
  (text) => inJson(text).replaceAll('/', '\\/'),
  (text) => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter),
];

const IN_BASE64 = /[\w+/=-]/;
const BITS = { byte: 8, letter: 6 };

/** The letters of Base64 that depend on the secret alone, wherever it begins within three bytes. */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * BITS.byte) / BITS.letter);
    const to = Math.floor((all.length * BITS.byte) / BITS.letter);
    const forms = [all.toString('base64'), all.toString('base64url')].map((text) => text.slice(from, to));
    return forms.filter(({ length }) => length >= SECRET_CHARS);
  });
}
