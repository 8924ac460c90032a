import type { Paths } from 'sluice/api'

type PullBody = Paths['POST /api/stream/pull']['body']

/** The terms of a pull that hold for its publisher, in the order of the form; each is as the config has it unless given. */
export const SWITCHES = ['pubAudio', 'pubVideo', 'kickExist'] as const
export const DURATIONS = [
  'publishTimeout',
  'mediaTimeout',
  'pauseTimeout',
  'delayCloseTimeout',
  'idleTimeout',
  'bufferTime',
] as const
export const NUMBERS = ['speed', 'scale', 'maxFPS', 'maxCount'] as const

export type Term = (typeof SWITCHES)[number] | (typeof DURATIONS)[number] | (typeof NUMBERS)[number]

/** The values of the form of a pull. */
export type PullValues = {
  readonly remoteURL: string
  readonly streamPath: string
  readonly protocol: string
  readonly loop: number
  readonly isTest: boolean
  /** The texts of the terms that are given. */
  readonly terms: Readonly<Partial<Record<Term, string>>>
}

export const NEW_PULL: PullValues = {
  remoteURL: '',
  streamPath: '',
  protocol: '',
  loop: 0,
  isTest: false,
  terms: {},
}

/** The request of a pull, with what is said of it alone. */
export function pullBody({ remoteURL, streamPath, protocol, loop, isTest, terms }: PullValues): PullBody {
  const given = Object.entries(terms).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]]))
  return {
    remoteURL: remoteURL.trim(),
    ...(streamPath.trim() !== '' && { streamPath: streamPath.trim() }),
    ...(protocol.trim() !== '' && { protocol: protocol.trim() }),
    ...(loop !== 0 && { loop }),
    ...(isTest && { testMode: 1 }),
    ...(Object.fromEntries(given) as Partial<Record<Term, string>>),
  }
}

const FIELDS = ['remoteURL', 'streamPath', 'protocol', 'loop', ...SWITCHES, ...DURATIONS, ...NUMBERS]

/**
 * The field that a refusal of the server is about; undefined where it is about none alone.
 * @param message `pausetimeout: expected a duration …`, `remoteURL is no address`
 */
export function fieldOf(message: string): string | undefined {
  if (/^the address\b/u.test(message)) return 'remoteURL'
  if (/\bstream path\b|^stream exist$/u.test(message)) return 'streamPath'
  const named = /^(?<name>\w+)(?::| is | must )/u.exec(message)?.groups?.['name']?.toLowerCase()
  return FIELDS.find((name) => name.toLowerCase() === named)
}
