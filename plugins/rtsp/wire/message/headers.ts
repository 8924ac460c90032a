/** A header as it was sent, without white space around the value. */
export type RtspHeader = readonly [name: string, value: string]

/** The headers of a message (RFC 2326 4.2): names in any case, repeated ones kept, all in their order. */
export class RtspHeaders implements Iterable<RtspHeader> {
  readonly #headers: RtspHeader[]

  constructor(headers: Iterable<RtspHeader> = []) {
    this.#headers = [...headers]
  }

  /** The value of the first header of this name. */
  get(name: string): string | undefined {
    return this.#headers.find((header) => isNamed(header, name))?.[1]
  }

  /** The values of all headers of this name, which challenges have several of. */
  getAll(name: string): readonly string[] {
    return this.#headers.filter((header) => isNamed(header, name)).map(([, value]) => value)
  }

  append(name: string, value: string): void {
    this.#headers.push([name, value])
  }

  [Symbol.iterator](): Iterator<RtspHeader> {
    return this.#headers[Symbol.iterator]()
  }
}

function isNamed([one]: RtspHeader, other: string): boolean {
  return one.length === other.length && one.toLowerCase() === other.toLowerCase()
}
