import { createContext, useContext } from 'react'
import type { Words } from 'sluice/sdk/console'

export type Language = 'en' | 'zh'

const STORAGE_KEY = 'sluice.console.language'

/** The language of the console, and how to change it. */
export const LanguageContext = createContext<{
  readonly language: Language
  readonly setLanguage: (language: Language) => void
}>({ language: 'en', setLanguage: () => undefined })

export function useLanguage(): Language {
  return useContext(LanguageContext).language
}

export function useWords<Texts>(words: Words<Texts>): Texts {
  return words[useLanguage()]
}

/** The language that was chosen here before, or else that of the browser. */
export function firstLanguage(): Language {
  const stored = storedLanguage()
  if (stored === 'en' || stored === 'zh') return stored
  return navigator.languages.find((one) => /^(?:en|zh)\b/u.test(one))?.startsWith('zh') === true ? 'zh' : 'en'
}

export function storeLanguage(language: Language): void {
  try {
    localStorage.setItem(STORAGE_KEY, language)
  } catch {
    // A browser that keeps nothing has its own language the next time.
  }
}

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}
