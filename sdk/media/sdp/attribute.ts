import type { SdpLine } from './line.ts'

/** An attribute (RFC 8866 5.13): `a=name:value`, or a flag, `a=name`. */
export type SdpAttribute = {
  readonly name: string
  /** None for a flag. */
  readonly value?: string
}

/** The first attribute of a name, which is compared with its case. */
export function sdpAttribute(attributes: readonly SdpAttribute[], name: string): SdpAttribute | undefined {
  return attributes.find((attribute) => attribute.name === name)
}

/** Parses the value of an `a=` line; undefined when it has no name. */
export function parseAttribute(line: string): SdpAttribute | undefined {
  const colon = line.indexOf(':')
  const name = colon === -1 ? line : line.slice(0, colon).trimEnd()
  if (name === '') return undefined
  return colon === -1 ? { name } : { name, value: line.slice(colon + 1).trimStart() }
}

/** The line of an attribute. */
export function attributeLine({ name, value }: SdpAttribute): SdpLine {
  return { type: 'a', value: value === undefined ? name : `${name}:${value}` }
}
