/** The bytes of a dump by ffprobe: lines of `00000010: 0123 4567 …  text`, with 16 bytes each. */
export function parseHexDump(dump: string): Buffer {
  const lines = dump.split('\n').map((line) => line.slice(10, 50).replaceAll(' ', ''))
  return Buffer.from(lines.join(''), 'hex')
}
