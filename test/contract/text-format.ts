import type { MuxerFormat } from 'sluice/sdk'

/** A format to read with the eye: what the muxer was told, a line each. */
export const TEXT_FORMAT: MuxerFormat = {
  name: 'text',
  createMuxer: () => ({
    start: ({ tracks, metadata }) =>
      line(`start ${tracks.map(({ codec }) => codec).join(',')} ${JSON.stringify(metadata)}`),
    configure: (track) => line(`configure ${track.codec}`),
    mux: (unit) => line(`${unit.track.codec}${unit.keyframe ? ' key' : ''} ${labelOf(unit.data)}`),
  }),
}

/** The text that a scripted publisher writes into a unit: `video 7`. */
export function labelOf(data: Buffer): string {
  return /(?:video|audio) \d+/u.exec(data.toString('latin1'))?.[0] ?? '?'
}

function line(text: string): Buffer {
  return Buffer.from(`${text}\n`)
}
