const SIZE = /^(\d{1,16}(?:\.\d{1,9})?)\s?([KMG]?B)$/i
const BARE_BYTES = /^\d{1,16}$/
const UNITS_BYTES: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }

/** Bytes of `512KB`, `1.5MB`, `2GB` or a bare integer; undefined for anything else. Units are powers of 1024. */
export function parseByteSize(text: string): number | undefined {
  if (BARE_BYTES.test(text)) return safeInteger(Number(text))
  const [, amount, unit] = SIZE.exec(text) ?? []
  const unitBytes = UNITS_BYTES[unit?.toUpperCase() ?? '']
  return unitBytes === undefined ? undefined : safeInteger(Math.round(Number(amount) * unitBytes))
}

function safeInteger(sizeBytes: number): number | undefined {
  return Number.isSafeInteger(sizeBytes) ? sizeBytes : undefined
}
