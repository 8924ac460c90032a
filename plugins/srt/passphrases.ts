import type { SrtContext } from './plugin-context.ts'

/** The passphrase that the connections of a stream must have; empty for none. */
export function passphraseOf(
  { passphrase, passphrases }: Pick<SrtContext['config'], 'passphrase' | 'passphrases'>,
  streamPath: string,
): string {
  const rule = Object.entries(passphrases).find(([pattern]) => new RegExp(pattern, 'u').test(streamPath))
  return rule === undefined ? passphrase : rule[1]
}
