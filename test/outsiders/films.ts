import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { definePlugin, PacedPlayer, Type, type AccessUnit, type Recording, type Track } from 'sluice/sdk'
import { FlvReader, FlvTagDemuxer } from 'sluice/sdk/media'

/** An FLV file that was read as a whole. */
class FlvRecording implements Recording {
  readonly tracks: Track[] = []
  readonly #units: AccessUnit[] = []
  #next = 0

  constructor(bytes: Buffer) {
    const demuxer = new FlvTagDemuxer({
      addTrack: (init) => {
        const track = { ...init, id: this.tracks.length }
        this.tracks.push(track)
        return track
      },
      configureTrack: (track, config) => ({ ...track, config }),
      removeTrack: () => {},
      write: (unit) => void this.#units.push(unit),
      lost: () => {},
    })
    for (const { type, timestampMs, body } of new FlvReader().push(bytes)) {
      if (type === 9) demuxer.video(timestampMs, body)
      else if (type === 8) demuxer.audio(timestampMs, body)
    }
  }

  get durationMs(): number {
    return this.#units.at(-1)?.dts ?? 0 // the units of FLV count milliseconds
  }

  next(): AccessUnit | undefined {
    return this.#units[this.#next++]
  }

  seek(positionMs: number): void {
    const isBefore = ({ track, keyframe, dts }: AccessUnit) => track.kind === 'video' && keyframe && dts <= positionMs
    this.#next = Math.max(0, this.#units.findLastIndex(isBefore))
  }
}

/** Plays each viewer a film of its own: `vod_7/holiday` is `holiday.flv`, for the viewer that asks for it with this number. */
export default definePlugin({
  name: 'films',
  version: '1.0.0',
  config: Type.Object({ folder: Type.String({ default: 'films' }) }),
  defaults: { publish: { speed: 1, idletimeout: '10s' } },
  setup({ config, hooks, streams, tasks }) {
    hooks.on('resolve', async ({ streamPath, url, query, client }) => {
      const [, name] = /^vod_\d+\/([\w-]+)$/u.exec(streamPath) ?? []
      const bytes = name && (await readFile(path.join(config.folder, `${name}.flv`)).catch(() => undefined))
      if (!bytes) return false
      tasks.start({
        owner: streamPath,
        async run(signal) {
          const player = new PacedPlayer(new FlvRecording(bytes))
          const session = { streamPath, type: 'vod', url, query, client, signal } as const
          const publisher = await streams.publish(session, { control: player, personal: true })
          signal.addEventListener('abort', () => publisher.close('the film was stopped'))
          await player.play(publisher)
          publisher.close('the film is over')
        },
      })
      return true
    })
  },
})
