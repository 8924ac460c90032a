import { FlvReader, FlvTagDemuxer, type Track, type TrackInit } from 'sluice/sdk/media'
import { LiveViewer } from '../live-viewer.ts'
import { END_BYTES } from './page-script.ts'

/** Names the pictures of a stream as a page names those that it sends, by HTTP-FLV: what the server took of them. */
export class TakenPictures extends LiveViewer {
  readonly names: string[] = []
  readonly #reader = new FlvReader()
  #tracks = 0
  readonly #demuxer = new FlvTagDemuxer({
    addTrack: (init: TrackInit) => {
      const track: Track = { ...init, id: this.#tracks++ }
      return track
    },
    configureTrack: (track, config) => ({ ...track, config }),
    lost: () => undefined,
    removeTrack: () => {},
    write: ({ keyframe, data }) => {
      const end = [...data.subarray(-END_BYTES)].join(' ')
      this.names.push(keyframe ? `key ${end}` : end)
    },
  })

  protected receive(bytes: Buffer): void {
    for (const { type, timestampMs, body } of this.#reader.push(bytes)) {
      if (type === 9) this.#demuxer.video(timestampMs, body)
    }
  }
}
