import type { MuxerFormat, Track } from 'sluice/sdk'

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

/** The same, refusing what it was not started with, as the sdk's muxer of MPEG-TS does. */
export function strictTextFormat(): MuxerFormat {
  return {
    name: 'strict text',
    createMuxer() {
      const muxer = TEXT_FORMAT.createMuxer()
      let known: readonly Track[] = []
      const assertKnown = (track: Track) => {
        if (!known.includes(track)) throw new RangeError(`not started with this track of ${track.codec}`)
      }
      return {
        start(about) {
          known = about.tracks
          return muxer.start(about)
        },
        configure(track) {
          assertKnown(track)
          return line(`configure ${track.codec}, one of ${known.length}`)
        },
        mux(unit) {
          assertKnown(unit.track)
          return muxer.mux(unit)
        },
      }
    },
  }
}

/** The text that a scripted publisher writes into a unit: `video 7`. */
export function labelOf(data: Buffer): string {
  return /(?:video|audio) \d+/u.exec(data.toString('latin1'))?.[0] ?? '?'
}

function line(text: string): Buffer {
  return Buffer.from(`${text}\n`)
}
