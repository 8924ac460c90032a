/** Sources by directive of a Content-Security-Policy: `{ 'worker-src': ['blob:'] }`. */
export type PageSources = Readonly<Record<string, readonly string[]>>

const NONE = "'none'"

/** A page may load files, the API and media of its own server, and the bytes that a script feeds to a player. */
const OWN: PageSources = {
  'default-src': [NONE],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'connect-src': ["'self'"],
  'media-src': ["'self'", 'blob:'],
  'base-uri': [NONE],
  'form-action': [NONE],
  'frame-ancestors': [NONE],
}

/** The headers of a page and its files. */
export const PAGE_HEADERS = {
  // Browsers keep the files, but ask for them again each time: an upgrade of the server shows at once.
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** The policy of a page that may load only from its own server, and from `more`. */
export function contentSecurityPolicy(...more: readonly PageSources[]): string {
  const names = new Set([OWN, ...more].flatMap((sources) => Object.keys(sources)))
  return [...names].map((name) => `${name} ${sourcesOf(name, more).join(' ')}`).join('; ')
}

/** `'none'` stands alone. */
function sourcesOf(name: string, more: readonly PageSources[]): readonly string[] {
  const all = [OWN, ...more].flatMap((sources) => sources[name] ?? [])
  const some = all.filter((source) => source !== NONE)
  return some.length > 0 ? some : [NONE]
}
