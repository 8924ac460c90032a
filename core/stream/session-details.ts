import { maskUrl } from 'sluice/sdk'
import type { Logger } from 'pino'

/** The most fields that are shown of a session. */
export const MAX_DETAILS = 32
/** The longest name and text of a field, in UTF-16 code units; a longer one is cut. */
export const MAX_DETAIL_LENGTH = 200

type Details = Readonly<Record<string, string | number>>

/** The fields that a plugin adds to the description of its session. */
export class SessionDetails {
  readonly #log: Logger
  #read: (() => Details) | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  set(read: () => Details): void {
    this.#read = read
  }

  /** Asks the plugin anew, and keeps the answer within bounds. A function that throws is logged, and not asked again. */
  read(): Details {
    if (this.#read === undefined) return {}
    try {
      const entries = Object.entries(this.#read()).slice(0, MAX_DETAILS)
      return Object.fromEntries(entries.map(([name, value]) => [shortened(name), shown(value)]))
    } catch (error) {
      this.#read = undefined
      this.#log.error({ err: error }, 'the details of a session failed')
      return {}
    }
  }
}

/** Masks user information and query of an address; a number that JSON does not have becomes a text. */
function shown(value: string | number): string | number {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return shortened(value.includes('://') ? maskUrl(value) : value)
}

function shortened(text: string): string {
  return text.slice(0, MAX_DETAIL_LENGTH)
}
