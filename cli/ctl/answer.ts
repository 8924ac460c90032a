import { CommandError } from '../command-error.ts'

/** An object of an answer. Each field may be missing, since the server may be older or newer than this program. */
export class Answer {
  readonly #fields: Readonly<Record<string, unknown>>

  /** @throws {CommandError} when the value is no object */
  constructor(json: unknown) {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw unexpected()
    this.#fields = json as Readonly<Record<string, unknown>>
  }

  /** Returns the objects of a list. @throws {CommandError} when the value is no list of objects */
  static listOf(json: unknown): Answer[] {
    if (!Array.isArray(json)) throw unexpected()
    return json.map((item) => new Answer(item))
  }

  /** The names of its fields. */
  get names(): string[] {
    return Object.keys(this.#fields)
  }

  /** Returns a field as text; empty when it is missing, JSON when it is no scalar. */
  text(name: string): string {
    const value = this.#fields[name] ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  }

  /** Returns a field as a number, also when a 64-bit integer comes as text; 0 when it is missing. */
  number(name: string): number {
    return Number(this.text(name)) || 0
  }

  /** Returns true when a field is `true`. */
  is(name: string): boolean {
    return this.#fields[name] === true
  }

  /** Returns a field that is an object; an empty one when it is missing. */
  object(name: string): Answer {
    return new Answer(this.#fields[name] ?? {})
  }

  /** Returns a field that is a list of objects; an empty one when it is missing. */
  list(name: string): Answer[] {
    return Answer.listOf(this.#fields[name] ?? [])
  }

  /** The object as it came. */
  get json(): unknown {
    return this.#fields
  }

  /** Returns a field as it came. */
  value(name: string): unknown {
    return this.#fields[name]
  }
}

function unexpected(): CommandError {
  return new CommandError('the answer is not what this version of sluice ctl expects; use that of the server')
}
