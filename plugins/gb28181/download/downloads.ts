import { messageOf, StreamUnavailable, type PullWish, type RunningPull } from 'sluice/sdk'
import type { GbContext } from '../plugin-context.ts'
import { livePath } from '../registry/channel.ts'
import { pullRule } from '../streams/pull-rule.ts'

/** The folder of streams in which recordings of devices are stored. */
const FOLDER = 'gb_download'
const PATH = /^gb_download\/([A-Za-z\d-]{1,32})_([A-Za-z\d-]{1,32})_(\d{1,11})_(\d{1,11})$/u
/** The most downloads that are remembered once they are over. */
const MAX_REMEMBERED = 1000
const RECORDING_TYPE = 'mp4'
/** Media that is kept until the recording has begun. */
const BUFFER_MS = 20_000
const MAX_SPEED = 4
/** The time in which the file is finished once the device has sent all. */
const FILE_MS = 60_000

/** A recording of a device that is stored here. Times are Unix milliseconds. */
export type Download = {
  readonly id: string
  readonly deviceId: string
  readonly channelId: string
  readonly startMs: number
  readonly endMs: number
  readonly speed: number
  status: 'pending' | 'downloading' | 'completed' | 'failed'
  /** 0–100. */
  progress: number
  error: string
  filePath: string
  downloadedBytes: number
  /** As the device has told; 0 where it has not. */
  totalBytes: number
  /** When the device had sent all: it is whole when its file is. 0 before. */
  sentMs: number
  readonly startedMs: number
  completedMs: number
}

/** A recording to fetch. Times are Unix milliseconds. */
export type DownloadWish = Pick<Download, 'deviceId' | 'channelId' | 'startMs' | 'endMs'> & {
  readonly speed: number | undefined
}

/** The downloads that all generations share, by id: plain data. */
export type KeptDownloads = Map<string, Download>

/**
 * Fetches recordings of devices, faster than they were made, into the recordings of the server: each as a stream of its own,
 * `gb_download/{id}`, that is recorded until it is over.
 */
export class Downloads {
  readonly #ctx: GbContext
  readonly #kept: KeptDownloads

  constructor(ctx: GbContext, kept: KeptDownloads) {
    this.#ctx = ctx
    this.#kept = kept
    ctx.hooks.on('recorded', ({ streamPath, filePath, sizeBytes }) => {
      const download = this.at(streamPath)
      if (download === undefined) return
      download.filePath = filePath
      download.downloadedBytes = sizeBytes
      if (download.sentMs > 0) Object.assign(download, { status: 'completed', progress: 100, completedMs: Date.now() })
    })
  }

  /** Returns a download that goes on, or is over; undefined when none is known. */
  get(id: string): Download | undefined {
    const download = this.#kept.get(id)
    const isLate = download?.status === 'downloading' && download.sentMs > 0 && Date.now() - download.sentMs > FILE_MS
    if (isLate) fail(download, 'its file was not finished')
    return download
  }

  /** Returns the download whose stream has a path. */
  at(streamPath: string): Download | undefined {
    return PATH.test(streamPath) ? this.#kept.get(streamPath.slice(FOLDER.length + 1)) : undefined
  }

  /**
   * Begins a download.
   * @returns the download, and whether it goes on already
   * @throws {StreamUnavailable} when the server records nothing, or is stopping
   */
  start(wish: DownloadWish): { readonly download: Download; readonly isRunning: boolean } {
    const { deviceId, channelId, startMs, endMs, speed = MAX_SPEED } = wish
    const id = [deviceId, channelId, Math.floor(startMs / 1000), Math.floor(endMs / 1000)].join('_')
    const running = this.get(id)
    if (running?.status === 'pending' || running?.status === 'downloading')
      return { download: running, isRunning: true }
    if (this.#ctx.services.get('recordings') === undefined) throw new StreamUnavailable('the server records nothing')
    const download: Download = {
      id,
      deviceId,
      channelId,
      startMs,
      endMs,
      speed: speed >= 1 && speed <= MAX_SPEED ? speed : MAX_SPEED,
      status: 'pending',
      progress: 0,
      error: '',
      filePath: '',
      downloadedBytes: 0,
      totalBytes: 0,
      sentMs: 0,
      startedMs: Date.now(),
      completedMs: 0,
    }
    this.#kept.delete(id)
    this.#kept.set(id, download)
    this.#forgetOld()
    const pull = this.#ctx.jobs.pulls.start(wishOf(download))
    if (pull === undefined) throw new StreamUnavailable('the server is stopping')
    void this.#record(download, pull)
    return { download, isRunning: false }
  }

  /** The wish of a download's stream, for pulls that go on in a newer generation. */
  wishAt(streamPath: string): PullWish | undefined {
    const download = this.at(streamPath)
    return download === undefined ? undefined : wishOf(download)
  }

  async #record(download: Download, pull: RunningPull): Promise<void> {
    const { services, log } = this.#ctx
    try {
      await pull.begun
      download.status = 'downloading'
      await services.get('recordings')?.start({ type: RECORDING_TYPE, streamPath: pathOf(download) })
    } catch (error) {
      fail(download, messageOf(error))
      pull.stop('its recording has failed')
      log.warn(
        { device: download.deviceId, channel: download.channelId, fault: download.error },
        'a download has failed',
      )
    }
  }

  #forgetOld(): void {
    for (const [id, { status }] of this.#kept) {
      if (this.#kept.size <= MAX_REMEMBERED) return
      if (status === 'completed' || status === 'failed') this.#kept.delete(id)
    }
  }
}

/** Notes that a download has failed. */
export function fail(download: Download, error: string): void {
  if (download.status === 'completed') return
  Object.assign(download, { status: 'failed', error, completedMs: Date.now() })
}

/** The path of a download's stream, and of its recording. */
export function pathOf({ id }: Pick<Download, 'id'>): string {
  return `${FOLDER}/${id}`
}

function wishOf(download: Download): PullWish {
  const { startMs, endMs, speed } = download
  const query = new URLSearchParams({ start: String(startMs), end: String(endMs), download: String(speed) })
  return {
    plugin: 'gb28181',
    streamPath: pathOf(download),
    rule: pullRule(livePath(download), query.toString(), 0),
    publish: { buffertime: BUFFER_MS, delayclosetimeout: 0, idletimeout: 0 },
    args: {},
    isLasting: true,
    origin: 'gb28181',
  }
}
