/** An AMF object: no prototype, so that names from outside meet nothing inherited. A property `__proto__` is left out. */
export type AmfObject = { [name: string]: AmfValue }

/**
 * A value of the Action Message Format, AMF0 and AMF3 alike. Arrays are strict arrays, a `Map` is an ECMA
 * (associative) array, XML documents are strings, and a class name on an object is dropped.
 */
export type AmfValue =
  | number
  | boolean
  | string
  | null
  | undefined
  | Date
  | readonly AmfValue[]
  | AmfObject
  | ReadonlyMap<string, AmfValue>

/** An empty object without a prototype, so that no property name from outside means anything special. */
export function newAmfObject(): AmfObject {
  return Object.create(null) as AmfObject
}

/** Sets a property that came from outside. */
export function setAmfProperty(object: AmfObject, name: string, value: AmfValue): void {
  if (name !== '__proto__') object[name] = value
}

/** The properties of an object or associative array; undefined for other values. */
export function amfFields(value: AmfValue): Readonly<Record<string, AmfValue>> | undefined {
  if (value instanceof Map) return Object.fromEntries(value)
  return isAmfObject(value) ? value : undefined
}

/** Returns true for an object with named properties, so not for an array, map or date. */
export function isAmfObject(value: AmfValue): value is AmfObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Map) &&
    !(value instanceof Date)
  )
}
