import { MalformedError } from '../errors.ts'
import { AmfBudget, AmfReferences, AMF_MAX_DEPTH } from './budget.ts'
import { readAmf3 } from './amf3.ts'
import { newAmfObject, setAmfProperty } from './value.ts'
import type { AmfObject, AmfValue } from './value.ts'

/** Type markers, AMF 0 specification 2.1. */
const AMF0_MARKER = {
  number: 0x00,
  boolean: 0x01,
  string: 0x02,
  object: 0x03,
  null: 0x05,
  undefined: 0x06,
  reference: 0x07,
  ecmaArray: 0x08,
  objectEnd: 0x09,
  strictArray: 0x0a,
  date: 0x0b,
  longString: 0x0c,
  unsupported: 0x0d,
  xmlDocument: 0x0f,
  typedObject: 0x10,
  amf3: 0x11,
} as const

/**
 * Reads all AMF0 values to the end of the bytes (AMF 0 specification, 2007). A value may switch to AMF3 by marker 0x11.
 * @throws {MalformedError} when a value is cut off, its marker is unknown, or a limit (`AMF_MAX_…`) is passed.
 */
export function parseAmf0(bytes: Buffer): AmfValue[] {
  const reader = new Amf0Reader(bytes)
  const values: AmfValue[] = []
  while (!reader.atEnd) values.push(reader.read(0))
  return values
}

class Amf0Reader {
  readonly #bytes: Buffer
  readonly #budget = new AmfBudget()
  readonly #references = new AmfReferences<AmfValue>(this.#budget)
  #offset = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** FLV script data may close with an object end of its own (FLV specification E.4.4.1), which holds no value. */
  get atEnd(): boolean {
    const left = this.#bytes.length - this.#offset
    return left === 0 || (left === 3 && this.#atObjectEnd())
  }

  read(depth: number): AmfValue {
    this.#budget.value()
    if (depth > AMF_MAX_DEPTH) throw new MalformedError(`AMF0: nested deeper than ${AMF_MAX_DEPTH}`)
    const marker = this.#bytes[this.#take(1)]!
    switch (marker) {
      case AMF0_MARKER.number:
        return this.#bytes.readDoubleBE(this.#take(8))
      case AMF0_MARKER.boolean:
        return this.#bytes[this.#take(1)] !== 0
      case AMF0_MARKER.string:
        return this.#string(this.#uint16())
      case AMF0_MARKER.longString:
      case AMF0_MARKER.xmlDocument:
        return this.#string(this.#uint32())
      case AMF0_MARKER.null:
        return null
      case AMF0_MARKER.undefined:
      case AMF0_MARKER.unsupported:
        return undefined
      case AMF0_MARKER.date:
        return this.#date()
      case AMF0_MARKER.reference:
        return this.#references.get(this.#uint16())
      case AMF0_MARKER.object:
        return this.#references.keep(() => this.#object(depth))
      case AMF0_MARKER.typedObject:
        this.#string(this.#uint16())
        return this.#references.keep(() => this.#object(depth))
      case AMF0_MARKER.ecmaArray:
        return this.#references.keep(() => this.#ecmaArray(depth))
      case AMF0_MARKER.strictArray:
        return this.#references.keep(() => this.#strictArray(depth))
      case AMF0_MARKER.amf3:
        return this.#amf3()
      default:
        throw new MalformedError(`AMF0: marker 0x${marker.toString(16)} at byte ${this.#offset - 1}`)
    }
  }

  #object(depth: number): AmfObject {
    const object = newAmfObject()
    while (!this.#passObjectEnd()) {
      const name = this.#string(this.#uint16())
      setAmfProperty(object, name, this.read(depth + 1))
    }
    return object
  }

  /** The count is only a hint, and some encoders leave out the end marker of an array that ends the message. */
  #ecmaArray(depth: number): Map<string, AmfValue> {
    this.#take(4)
    const map = new Map<string, AmfValue>()
    while (this.#offset < this.#bytes.length && !this.#passObjectEnd()) {
      const name = this.#string(this.#uint16())
      map.set(name, this.read(depth + 1))
    }
    return map
  }

  #strictArray(depth: number): AmfValue[] {
    const length = this.#uint32()
    const array: AmfValue[] = []
    for (let i = 0; i < length; i++) array.push(this.read(depth + 1))
    return array
  }

  /** The time zone after the milliseconds is reserved and ignored (2.13). */
  #date(): Date {
    const timeMs = this.#bytes.readDoubleBE(this.#take(8))
    this.#take(2)
    return new Date(timeMs)
  }

  #amf3(): AmfValue {
    const { value, end } = readAmf3(this.#bytes, this.#offset, this.#budget)
    this.#offset = end
    return value
  }

  #string(sizeBytes: number): string {
    this.#budget.text(sizeBytes)
    const start = this.#take(sizeBytes)
    return this.#bytes.toString('utf8', start, start + sizeBytes)
  }

  #atObjectEnd(): boolean {
    const [a, b, c] = [this.#bytes[this.#offset], this.#bytes[this.#offset + 1], this.#bytes[this.#offset + 2]]
    return a === 0 && b === 0 && c === AMF0_MARKER.objectEnd
  }

  #passObjectEnd(): boolean {
    if (!this.#atObjectEnd()) return false
    this.#offset += 3
    return true
  }

  #uint16(): number {
    return this.#bytes.readUInt16BE(this.#take(2))
  }

  #uint32(): number {
    return this.#bytes.readUInt32BE(this.#take(4))
  }

  /** Steps over bytes that must be there, and gives their start. */
  #take(sizeBytes: number): number {
    const start = this.#offset
    const left = this.#bytes.length - start
    if (sizeBytes > left) throw new MalformedError(`AMF0: ${sizeBytes} bytes wanted at byte ${start}, ${left} left`)
    this.#offset = start + sizeBytes
    return start
  }
}

/**
 * The AMF0 bytes of values one after the other. A `Map` becomes an ECMA array, a plain object an anonymous object.
 * @throws {RangeError} when a property name is longer than 65,535 bytes.
 */
export function serializeAmf0(values: readonly AmfValue[]): Buffer {
  const parts: Buffer[] = []
  for (const value of values) writeValue(parts, value)
  return Buffer.concat(parts)
}

const OBJECT_END = Buffer.of(0, 0, AMF0_MARKER.objectEnd)

function writeValue(parts: Buffer[], value: AmfValue): void {
  if (value === null) parts.push(Buffer.of(AMF0_MARKER.null))
  else if (value === undefined) parts.push(Buffer.of(AMF0_MARKER.undefined))
  else if (typeof value === 'number') parts.push(numberBytes(AMF0_MARKER.number, value))
  else if (typeof value === 'boolean') parts.push(Buffer.of(AMF0_MARKER.boolean, value ? 1 : 0))
  else if (typeof value === 'string') writeString(parts, value)
  else if (value instanceof Date) parts.push(numberBytes(AMF0_MARKER.date, value.getTime()), Buffer.of(0, 0))
  else if (value instanceof Map) writeEcmaArray(parts, value)
  else if (Array.isArray(value)) writeStrictArray(parts, value)
  else {
    parts.push(Buffer.of(AMF0_MARKER.object))
    writeProperties(parts, Object.entries(value))
  }
}

function writeString(parts: Buffer[], text: string): void {
  const bytes = Buffer.from(text)
  if (bytes.length <= 0xffff) {
    parts.push(Buffer.of(AMF0_MARKER.string, bytes.length >> 8, bytes.length), bytes)
  } else {
    parts.push(markedUint32(AMF0_MARKER.longString, bytes.length), bytes)
  }
}

function writeEcmaArray(parts: Buffer[], map: ReadonlyMap<string, AmfValue>): void {
  parts.push(markedUint32(AMF0_MARKER.ecmaArray, map.size))
  writeProperties(parts, map)
}

function writeStrictArray(parts: Buffer[], array: readonly AmfValue[]): void {
  parts.push(markedUint32(AMF0_MARKER.strictArray, array.length))
  for (const value of array) writeValue(parts, value)
}

function writeProperties(parts: Buffer[], properties: Iterable<readonly [string, AmfValue]>): void {
  for (const [name, value] of properties) {
    const bytes = Buffer.from(name)
    if (bytes.length > 0xffff) throw new RangeError(`AMF0: a property name of ${bytes.length} bytes`)
    parts.push(Buffer.of(bytes.length >> 8, bytes.length), bytes)
    writeValue(parts, value)
  }
  parts.push(OBJECT_END)
}

function numberBytes(marker: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(9)
  bytes[0] = marker
  bytes.writeDoubleBE(value, 1)
  return bytes
}

function markedUint32(marker: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(5)
  bytes[0] = marker
  bytes.writeUInt32BE(value, 1)
  return bytes
}
