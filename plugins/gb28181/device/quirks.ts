/** The quirks of devices that the simulator has, by the name that turns each on. */
export const QUIRKS = {
  // Registration and messages
  'breaks-on-date': 'leaves out every response that has a Date',
  'never-registers-again': 'does not register again, whatever is answered to its keepalives',
  'no-to-tag': 'answers without a tag in To',
  'private-contact': 'names 192.168.1.108:5060 in Contact',
  'bad-ports': 'states the port -1 in Contact and in SDP',
  'no-ports': 'states no port in Contact and in SDP',
  'resets-other-uri': 'ends the connection, or says nothing over UDP, when an INVITE is for a URI that is no channel',
  'wrong-declaration': 'declares another charset than its bodies have',
  'no-answers': 'takes queries with 200, and answers none',
  'bad-keepalive-parameters': 'states 0 and -1 for its keepalives, and no number for its expiry',
  'other-config-names': 'names the elements of ConfigDownload otherwise than what was asked for',
  // Catalogue and recordings
  'catalog-one-by-one': 'sends each channel in a message of its own',
  'catalog-duplicates': 'sends each channel twice',
  'catalog-wrong-sum': 'states one channel more than it has',
  'catalog-lost-part': 'leaves out the second message of a catalogue',
  'catalog-malformed': 'does not end the name of the second channel',
  'status-digits': 'states 1 and 0 in place of ON and OFF',
  'record-zone-times': 'states times of recordings with +08:00',
  'record-millisecond-times': 'states times of recordings with milliseconds',
  'record-reversed': 'lists recordings the last one first',
  // Answers to INVITE
  'trying-only': 'answers 100 to an INVITE, and nothing more',
  refuse: 'answers this status to an INVITE, as refuse=486',
  'no-y': 'answers without y=',
  silent: 'answers an INVITE, and sends no media',
  'bye-after': 'sends BYE after so many seconds of media, as bye-after=5',
  // Media
  'own-ssrc': 'sends with an SSRC of its own',
  'zero-ssrc': 'sends with the SSRC 0',
  'no-psm': 'sends no map of the program stream',
  'psm-once': 'sends the map of the program stream at the beginning only',
  'lying-psm': 'declares H.265 for H.264, and H.264 for H.265',
  'private-pes': 'sends packets of private data (BD) among the others',
  stuffing: 'puts stuffing into pack headers, and sends padding packets',
  'long-pes': 'fills packets of a picture up to the length 65,535',
  slices: 'sends each NAL unit in a packet of its own',
  'bare-audio': 'sends G.711 as RTP of type 8 or 0 beside the program stream, with the same SSRC',
  'jumping-audio-times': 'lets the times of sound jump',
  lose: 'loses every nth packet, as lose=100; also over TCP',
  reorder: 'swaps every tenth packet with the next one',
  ehome: 'begins a connection with the header of EHOME, of 256 bytes',
  'dollar-framing': 'writes $, a channel and a length before each packet, in place of a length alone',
  'broken-framing': 'breaks the framing of a connection once, after the 50th packet or the given one',
  'other-media-address': 'sends media from 127.0.0.2',
} as const

/** The name of a quirk. */
export type QuirkName = keyof typeof QUIRKS

const COUNTED = ['refuse', 'bye-after', 'lose', 'broken-framing'] as const
type CountedName = (typeof COUNTED)[number]

/** A quirk as it is turned on: its name, for some with a number. */
export type Quirk = QuirkName | `${CountedName}=${number}`

const DEFAULTS: Readonly<Record<CountedName, number>> = {
  refuse: 486,
  'bye-after': 5,
  lose: 100,
  'broken-framing': 50,
}

/** The quirks that a device has. */
export class Quirks {
  readonly #numbers: ReadonlyMap<string, number | undefined>

  constructor(quirks: readonly Quirk[] = []) {
    this.#numbers = new Map(
      quirks.map((quirk) => {
        const [name = '', number] = quirk.split('=')
        return [name, number === undefined ? undefined : Number(number)]
      }),
    )
  }

  has(name: QuirkName): boolean {
    return this.#numbers.has(name)
  }

  /** The number of a quirk; undefined where it is off. */
  numberOf(name: CountedName): number | undefined {
    return this.#numbers.has(name) ? (this.#numbers.get(name) ?? DEFAULTS[name]) : undefined
  }
}

/**
 * Reads a list of quirks, such as `no-y,lose=50`.
 * @throws {RangeError} when one is not known, or its number is none
 */
export function parseQuirks(text: string): Quirk[] {
  return text.split(',').map((item) => {
    const quirk = item.trim()
    if (!isQuirk(quirk)) throw new RangeError(`there is no quirk "${quirk}"`)
    return quirk
  })
}

function isQuirk(text: string): text is Quirk {
  const [name = '', number] = text.split('=')
  if (number === undefined) return Object.hasOwn(QUIRKS, name)
  return COUNTED.some((counted) => counted === name) && /^\d+(?:\.\d+)?$/u.test(number)
}
