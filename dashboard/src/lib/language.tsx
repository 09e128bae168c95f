import { useLocalStorage } from '@mantine/hooks';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { writeNumbersIn } from './numbers';
import { ahead } from './part';
import { type Catalogue, type In, isLanguage, type Language, type Translations } from './texts';

interface Spoken {
  readonly language: Language;
  readonly choose: (language: Language) => void;
  /** None: English. */
  readonly translations: Translations;
}

const ENGLISH: Translations = new Map();
const Speaking = createContext<Spoken>({ language: 'en', choose: () => undefined, translations: ENGLISH });

const LOADS: Readonly<Record<Language, () => Promise<Translations>>> = {
  en: async () => ENGLISH,
  de: ahead(async () => (await import('../german')).GERMAN),
};

/** Keeps the language of this browser. While its file is on the way, or where it cannot be fetched, texts are in English. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [kept, choose] = useLocalStorage<unknown>({
    key: 'language',
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const wanted = isLanguage(kept) ? kept : 'en';
  const [loaded, setLoaded] = useState<Pick<Spoken, 'language' | 'translations'> | null>(null);
  useEffect(() => {
    let isWanted = true;
    const take = (language: Language, translations: Translations) => {
      if (!isWanted) return;
      document.documentElement.lang = language;
      writeNumbersIn(language);
      setLoaded({ language, translations });
    };
    LOADS[wanted]().then(
      (translations) => take(wanted, translations),
      () => take('en', ENGLISH),
    );
    return () => {
      isWanted = false;
    };
  }, [wanted]);
  const spoken = useMemo(
    (): Spoken => ({ ...(loaded ?? { language: 'en', translations: ENGLISH }), choose }),
    [loaded, choose],
  );
  return <Speaking value={spoken}>{children}</Speaking>;
}

/** The language of the page, and how to choose another one. */
export function useLanguage(): readonly [Language, (language: Language) => void] {
  const { language, choose } = useContext(Speaking);
  return [language, choose];
}

/** The texts of a catalogue in the language of the page, or in English where it has no translation. */
export function useTexts<C extends Catalogue>(english: C): In<C> {
  const { translations } = useContext(Speaking);
  return (translations.get(english) as In<C> | undefined) ?? (english as In<C>);
}
