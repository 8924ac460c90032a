/** The other values that a text from outside the file may mean, where only text can be given. */
export function meantByText(text: string): unknown[] {
  if (/^(true|1)$/i.test(text)) return [true, ...numberIn(text)]
  if (/^(false|0)$/i.test(text)) return [false, ...numberIn(text)]
  return numberIn(text)
}

function numberIn(text: string): number[] {
  return /^[+-]?\d+(\.\d+)?$/.test(text) ? [Number(text)] : []
}
