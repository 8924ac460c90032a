import { MalformedError } from '../errors.ts'
import { AmfBudget, AmfReferences, AMF_MAX_DEPTH } from './budget.ts'
import { newAmfObject, setAmfProperty } from './value.ts'
import type { AmfObject, AmfValue } from './value.ts'

/** Type markers, AMF 3 specification 3.1. */
const MARKER = {
  undefined: 0x00,
  null: 0x01,
  false: 0x02,
  true: 0x03,
  integer: 0x04,
  double: 0x05,
  string: 0x06,
  xmlDocument: 0x07,
  date: 0x08,
  array: 0x09,
  object: 0x0a,
  xml: 0x0b,
  byteArray: 0x0c,
  vectorInt: 0x0d,
  vectorUint: 0x0e,
  vectorDouble: 0x0f,
  vectorObject: 0x10,
  dictionary: 0x11,
} as const

/** Classes that write themselves, as one value each. The bytes of any other such class have no known end. */
const WRAPPER_CLASSES = new Set(['flex.messaging.io.ArrayCollection', 'flex.messaging.io.ObjectProxy'])

type Traits = {
  readonly className: string
  readonly externalizable: boolean
  readonly dynamic: boolean
  readonly names: readonly string[]
}

/**
 * Reads one AMF3 value (AMF 3 specification, 2006) that starts at `offset`, with reference tables of its own.
 * Vectors are read as arrays, a dictionary as a map of the keys' texts, a byte array as a string of a character a byte.
 * @returns the value and the offset after it.
 * @throws {MalformedError} when the value is cut off or unknown, refers to nothing, or passes a limit (`AMF_MAX_…`).
 */
export function parseAmf3(bytes: Buffer, offset: number): { value: AmfValue; end: number } {
  return readAmf3(bytes, offset, new AmfBudget())
}

/** {@link parseAmf3} for a value inside a message that is already being counted. */
export function readAmf3(bytes: Buffer, offset: number, budget: AmfBudget): { value: AmfValue; end: number } {
  const reader = new Amf3Reader(bytes, offset, budget)
  const value = reader.read(0)
  return { value, end: reader.offset }
}

class Amf3Reader {
  offset: number
  readonly #bytes: Buffer
  readonly #budget: AmfBudget
  readonly #references: AmfReferences<AmfValue>
  readonly #strings: string[] = []
  readonly #traits: Traits[] = []

  constructor(bytes: Buffer, offset: number, budget: AmfBudget) {
    this.#bytes = bytes
    this.offset = offset
    this.#budget = budget
    this.#references = new AmfReferences<AmfValue>(budget)
  }

  read(depth: number): AmfValue {
    this.#budget.value()
    if (depth > AMF_MAX_DEPTH) throw new MalformedError(`AMF3: nested deeper than ${AMF_MAX_DEPTH}`)
    const marker = this.#uint8()
    switch (marker) {
      case MARKER.undefined:
        return undefined
      case MARKER.null:
        return null
      case MARKER.false:
        return false
      case MARKER.true:
        return true
      case MARKER.integer:
        return (this.#uint29() << 3) >> 3
      case MARKER.double:
        return this.#bytes.readDoubleBE(this.#take(8))
      case MARKER.string:
        return this.#string()
      default:
        return this.#complex(marker, depth)
    }
  }

  /** The types that share one reference table: a number, then either an index or a length by its lowest bit (3.8). */
  #complex(marker: number, depth: number): AmfValue {
    const header = this.#uint29()
    if ((header & 1) === 0) return this.#references.get(header >> 1)
    const length = header >> 1
    switch (marker) {
      case MARKER.date:
        return this.#references.keep(() => new Date(this.#bytes.readDoubleBE(this.#take(8))))
      case MARKER.xmlDocument:
      case MARKER.xml:
        return this.#references.keep(() => this.#text(length, 'utf8'))
      case MARKER.byteArray:
        return this.#references.keep(() => this.#text(length, 'latin1'))
      case MARKER.array:
        return this.#references.keep(() => this.#array(length, depth))
      case MARKER.object:
        return this.#object(header, depth)
      case MARKER.vectorInt:
        return this.#vector(length, () => this.#bytes.readInt32BE(this.#take(4)))
      case MARKER.vectorUint:
        return this.#vector(length, () => this.#bytes.readUInt32BE(this.#take(4)))
      case MARKER.vectorDouble:
        return this.#vector(length, () => this.#bytes.readDoubleBE(this.#take(8)))
      case MARKER.vectorObject:
        return this.#vectorOfObjects(length, depth)
      case MARKER.dictionary:
        return this.#references.keep(() => this.#dictionary(length, depth))
      default:
        throw new MalformedError(`AMF3: marker 0x${marker.toString(16)} before byte ${this.offset}`)
    }
  }

  /** Named elements first, then the dense ones (3.11). */
  #array(length: number, depth: number): AmfValue {
    const named = new Map<string, AmfValue>()
    for (let name = this.#string(); name !== ''; name = this.#string()) named.set(name, this.read(depth + 1))
    const dense: AmfValue[] = []
    for (let i = 0; i < length; i++) dense.push(this.read(depth + 1))
    if (named.size === 0) return dense
    for (const [index, value] of dense.entries()) named.set(String(index), value)
    return named
  }

  #object(header: number, depth: number): AmfValue {
    return this.#references.keep(() => {
      const traits = this.#readTraits(header)
      return traits.externalizable ? this.#externalizable(traits, depth) : this.#properties(traits, depth)
    })
  }

  #externalizable(traits: Traits, depth: number): AmfValue {
    if (!WRAPPER_CLASSES.has(traits.className)) {
      throw new MalformedError(`AMF3: an object of class "${traits.className.slice(0, 64)}" in a format of its own`)
    }
    return this.read(depth + 1)
  }

  #properties(traits: Traits, depth: number): AmfObject {
    const object = newAmfObject()
    for (const name of traits.names) setAmfProperty(object, name, this.read(depth + 1))
    if (!traits.dynamic) return object
    for (let name = this.#string(); name !== ''; name = this.#string()) {
      setAmfProperty(object, name, this.read(depth + 1))
    }
    return object
  }

  /** U29O-traits (3.12): bit 1 clear is a reference, bit 2 says externalizable, bit 3 dynamic, the rest counts names. */
  #readTraits(header: number): Traits {
    if ((header & 2) === 0) {
      const known = this.#traits[header >> 2]
      if (!known) throw new MalformedError(`AMF3: a reference to traits ${header >> 2} of ${this.#traits.length}`)
      return known
    }
    const className = this.#string()
    const names: string[] = []
    if ((header & 4) === 0) {
      for (let left = header >> 4; left > 0; left--) {
        this.#budget.value()
        names.push(this.#string())
      }
    }
    const traits = { className, externalizable: (header & 4) !== 0, dynamic: (header & 8) !== 0, names }
    this.#traits.push(traits)
    return traits
  }

  #vector(length: number, readItem: () => number): AmfValue {
    return this.#references.keep(() => {
      this.#take(1)
      const items: number[] = []
      for (let i = 0; i < length; i++) {
        this.#budget.value()
        items.push(readItem())
      }
      return items
    })
  }

  #vectorOfObjects(length: number, depth: number): AmfValue {
    return this.#references.keep(() => {
      this.#take(1)
      this.#string()
      const items: AmfValue[] = []
      for (let i = 0; i < length; i++) items.push(this.read(depth + 1))
      return items
    })
  }

  #dictionary(length: number, depth: number): AmfValue {
    this.#take(1)
    const map = new Map<string, AmfValue>()
    for (let i = 0; i < length; i++) {
      const key = this.read(depth + 1)
      const value = this.read(depth + 1)
      map.set(typeof key === 'object' && key !== null ? `[${i}]` : String(key), value)
    }
    return map
  }

  /** UTF-8-vr (1.3.2). The empty string is never kept for reference. */
  #string(): string {
    const header = this.#uint29()
    if ((header & 1) === 0) {
      const known = this.#strings[header >> 1]
      if (known === undefined) {
        throw new MalformedError(`AMF3: a reference to string ${header >> 1} of ${this.#strings.length}`)
      }
      this.#budget.text(known.length)
      return known
    }
    const text = this.#text(header >> 1, 'utf8')
    if (text !== '') this.#strings.push(text)
    return text
  }

  #text(sizeBytes: number, encoding: 'utf8' | 'latin1'): string {
    this.#budget.text(sizeBytes)
    const start = this.#take(sizeBytes)
    return this.#bytes.toString(encoding, start, start + sizeBytes)
  }

  /** U29 (1.3.1): seven bits a byte, and all eight of a fourth. */
  #uint29(): number {
    let value = 0
    for (let i = 0; i < 3; i++) {
      const byte = this.#uint8()
      if (byte < 0x80) return (value << 7) | byte
      value = (value << 7) | (byte & 0x7f)
    }
    return (value << 8) | this.#uint8()
  }

  #uint8(): number {
    return this.#bytes[this.#take(1)]!
  }

  /** Steps over bytes that must be there, and gives their start. */
  #take(sizeBytes: number): number {
    const start = this.offset
    const left = this.#bytes.length - start
    if (sizeBytes > left) throw new MalformedError(`AMF3: ${sizeBytes} bytes wanted at byte ${start}, ${left} left`)
    this.offset = start + sizeBytes
    return start
  }
}
