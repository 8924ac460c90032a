/** The words that keys are made of. */
const PLAIN_WORDS =
  'access after alarm alias alive all audio auth auto backup before buffer certificate check chunk close color continue ' +
  'count data days delay delta disable disk drain duration enable encoders event exist expire fail file font force frame ' +
  'history idle interval keep key keyframe kick level listen log login max media merge mode name no offset on only ' +
  'overwrite parent path pause percent prefix proxy public publish pull push query queue rate read record recovery retry ' +
  'save seconds secret servers session size spacing spool stall start stop stream style subscribe task test time timeout ' +
  'times track trust type use username verify video wait write x y'

/** The words that have another form in a title. */
const OTHER_WORDS: readonly (readonly [word: string, text: string])[] = [
  ['addr', 'address'],
  ['arg', 'argument'],
  ['bframes', 'B-frames'],
  ['bw', 'bandwidth'],
  ['cert', 'certificate'],
  ['cors', 'CORS'],
  ['db', 'database'],
  ['dir', 'folder'],
  ['dsn', 'DSN'],
  ['ffmpeg', 'FFmpeg'],
  ['fps', 'FPS'],
  ['gop', 'GOP'],
  ['http', 'HTTP'],
  ['ice', 'ICE'],
  ['id', 'ID'],
  ['iframe', 'I-frame'],
  ['ip', 'IP'],
  ['ipv6', 'IPv6'],
  ['ms', '(ms)'],
  ['pli', 'PLI'],
  ['pub', 'publish'],
  ['s3', 'S3'],
  ['ssl', 'SSL'],
  ['sub', 'subscribe'],
  ['tcp', 'TCP'],
  ['tls', 'TLS'],
  ['udp', 'UDP'],
  ['url', 'URL'],
  ['urls', 'URLs'],
]
const WORDS = new Map<string, string>([...PLAIN_WORDS.split(' ').map((word) => [word, word] as const), ...OTHER_WORDS])
const LONGEST = Math.max(...[...WORDS.keys()].map(({ length }) => length))

/** Makes a title for a key whose schema has none: `listenaddrtls` is "Listen address TLS". Unknown words stay together. */
export function keyTitle(key: string): string {
  const words = key.split('_').flatMap((part) => wordsOf(part) ?? [part])
  const title = words.map((word) => WORDS.get(word) ?? word).join(' ')
  return title.charAt(0).toUpperCase() + title.slice(1)
}

/** Splits a text into known words, the longest first; undefined where a part of it is unknown. */
function wordsOf(text: string): string[] | undefined {
  if (text === '') return []
  for (let length = Math.min(LONGEST, text.length); length > 0; length -= 1) {
    const word = text.slice(0, length)
    if (!WORDS.has(word)) continue
    const rest = wordsOf(text.slice(length))
    if (rest !== undefined) return [word, ...rest]
  }
  return undefined
}
