import { MalformedError } from 'sluice/sdk/media'

const NUMBER = /^[+-]?(?:\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})$/u

/**
 * Parses header `Scale` (RFC 2326 12.34): 1 is normal speed, -1 backwards.
 * @throws {MalformedError} when it is not a number, or 0
 */
export function parseScale(text: string): number {
  const scale = NUMBER.test(text) ? Number(text) : 0
  if (scale === 0) throw new MalformedError(`Scale ${JSON.stringify(text.slice(0, 20))}`)
  return scale
}
