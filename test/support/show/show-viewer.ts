import { Fmp4Demuxer, FlvReader, FlvTagDemuxer, type FlvTag } from 'sluice/sdk/media'
import { LiveViewer } from '../live-viewer.ts'
import { RtmpClient } from '../rtmp-client.ts'
import type { UnitWatch } from './unit-watch.ts'

/** A viewer of a show, by whatever protocol. It leaves with the test that sent it, at the latest. */
export type ShowViewer = {
  readonly way: string
  readonly watch: UnitWatch
  /** Whether it has lost its connection. */
  readonly isGone: () => boolean
  readonly close: () => void
}

/** Plays by RTMP. */
export async function watchRtmp(url: string, watch: UnitWatch): Promise<ShowViewer> {
  const demuxer = new FlvTagDemuxer(watch)
  const client = await RtmpClient.play({ url, onTag: (tag) => demux(demuxer, tag) })
  let gone = false
  void client.closed.then(() => (gone = true))
  return { way: 'RTMP', watch, isGone: () => gone, close: () => client.close() }
}

/** Plays FLV or fragmented MP4, as the address ends, over HTTP or WebSocket, as it begins. */
export async function watchHttp(url: string, watch: UnitWatch): Promise<ShowViewer> {
  const viewer = new HttpViewer(url, url.includes('.flv') ? flvBytes(watch) : mp4Bytes(watch))
  const status = await viewer.status
  if (status !== 200 && status !== 101) throw new Error(`${url} answered ${status}`)
  let gone = false
  void viewer.ended.then(() => (gone = true))
  const way = `${url.includes('.flv') ? 'FLV' : 'MP4'} by ${url.startsWith('ws') ? 'WebSocket' : 'HTTP'}`
  return { way, watch, isGone: () => gone, close: () => viewer.close() }
}

type TakeBytes = (bytes: Buffer) => void

class HttpViewer extends LiveViewer {
  readonly #take: TakeBytes

  constructor(url: string, take: TakeBytes) {
    super(url)
    this.#take = take
  }

  protected receive(bytes: Buffer): void {
    this.#take(bytes)
  }

  protected override receiveText(): void {}
}

function flvBytes(watch: UnitWatch): TakeBytes {
  const reader = new FlvReader()
  const demuxer = new FlvTagDemuxer(watch)
  return (bytes) => {
    for (const tag of reader.push(bytes)) demux(demuxer, tag)
  }
}

function mp4Bytes(watch: UnitWatch): TakeBytes {
  const demuxer = new Fmp4Demuxer(watch)
  return (bytes) => demuxer.push(bytes)
}

function demux(demuxer: FlvTagDemuxer, { type, timestampMs, body }: FlvTag): void {
  if (type === 9) demuxer.video(timestampMs, body)
  else if (type === 8) demuxer.audio(timestampMs, body)
}
