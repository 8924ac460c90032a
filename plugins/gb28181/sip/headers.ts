/** Header fields of a SIP message in their order, by name without regard to case (RFC 3261 7.3). */
export class SipHeaders implements Iterable<readonly [name: string, value: string]> {
  #fields: (readonly [name: string, value: string])[]

  constructor(fields: Iterable<readonly [name: string, value: string]> = []) {
    this.#fields = Array.from(fields, ([name, value]) => [fullName(name), value])
  }

  /** The first value of a name; undefined without one. */
  get(name: string): string | undefined {
    const wanted = name.toLowerCase()
    return this.#fields.find(([other]) => other.toLowerCase() === wanted)?.[1]
  }

  /** All values of a name, those of one field as one text. */
  all(name: string): string[] {
    const wanted = name.toLowerCase()
    return this.#fields.filter(([other]) => other.toLowerCase() === wanted).map(([, value]) => value)
  }

  /** Returns headers with one field of a name in the place of the first that there was, or at the end. */
  with(name: string, value: string): SipHeaders {
    const wanted = name.toLowerCase()
    const at = this.#fields.findIndex(([other]) => other.toLowerCase() === wanted)
    if (at < 0) return new SipHeaders([...this.#fields, [name, value]])
    const rest = this.#fields.filter(([other], index) => index <= at || other.toLowerCase() !== wanted)
    return new SipHeaders(rest.map((field, index) => (index === at ? [name, value] : field)))
  }

  /** Returns headers with another value in the first field of a name; further fields of it stay. */
  withFirst(name: string, value: string): SipHeaders {
    const wanted = name.toLowerCase()
    const at = this.#fields.findIndex(([other]) => other.toLowerCase() === wanted)
    return new SipHeaders(this.#fields.map((field, index) => (index === at ? [field[0], value] : field)))
  }

  [Symbol.iterator](): Iterator<readonly [name: string, value: string]> {
    return this.#fields[Symbol.iterator]()
  }
}

/** Names by their compact forms (RFC 3261 7.3.3 and 20, RFC 6665 8.2, RFC 3515). */
const FULL_NAMES = new Map([
  ['c', 'Content-Type'],
  ['e', 'Content-Encoding'],
  ['f', 'From'],
  ['i', 'Call-ID'],
  ['k', 'Supported'],
  ['l', 'Content-Length'],
  ['m', 'Contact'],
  ['o', 'Event'],
  ['r', 'Refer-To'],
  ['s', 'Subject'],
  ['t', 'To'],
  ['u', 'Allow-Events'],
  ['v', 'Via'],
])

function fullName(name: string): string {
  return name.length === 1 ? (FULL_NAMES.get(name.toLowerCase()) ?? name) : name
}
