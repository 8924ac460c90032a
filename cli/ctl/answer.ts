import { CommandError } from '../command-error.ts'

/** An object of an answer, of which nothing is taken for granted: the server may be older or newer than this program. */
export class Answer {
  readonly #fields: Readonly<Record<string, unknown>>

  /** @throws {CommandError} when it is no object */
  constructor(json: unknown) {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw unexpected()
    this.#fields = json as Readonly<Record<string, unknown>>
  }

  /** The objects of a list. @throws {CommandError} when it is none */
  static listOf(json: unknown): Answer[] {
    if (!Array.isArray(json)) throw unexpected()
    return json.map((item) => new Answer(item))
  }

  /** The names of its fields. */
  get names(): string[] {
    return Object.keys(this.#fields)
  }

  /** A field as text; empty where it is not there, JSON where it is no scalar. */
  text(name: string): string {
    const value = this.#fields[name] ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  }

  /** A field as a number, also where 64-bit integers come as text; 0 where it is not there. */
  number(name: string): number {
    return Number(this.text(name)) || 0
  }

  /** Whether a field is `true`. */
  is(name: string): boolean {
    return this.#fields[name] === true
  }

  /** A field that is an object, or an empty one. */
  object(name: string): Answer {
    return new Answer(this.#fields[name] ?? {})
  }

  /** A field that is a list of objects, or an empty one. */
  list(name: string): Answer[] {
    return Answer.listOf(this.#fields[name] ?? [])
  }

  /** The object as it came. */
  get json(): unknown {
    return this.#fields
  }

  /** A field as it came. */
  value(name: string): unknown {
    return this.#fields[name]
  }
}

function unexpected(): CommandError {
  return new CommandError('the answer is not what this version of sluice ctl expects; use that of the server')
}
