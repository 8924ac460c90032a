import mpegts from 'mpegts.js'
import { bufferedAhead, type Failure, type OpenEngine } from './engine.ts'
import { flvLoader } from './flv-loader.ts'

mpegts.LoggingControl.enableAll = false

/**
 * Media is appended as it comes and kept for a while only, as a page may play for days. A player that lags plays a little
 * faster, and so catches up without a jump.
 */
const CONFIG: mpegts.Config = {
  enableWorker: false,
  enableStashBuffer: false,
  liveSync: true,
  liveSyncMaxLatency: 1.5,
  liveSyncTargetLatency: 0.6,
  liveSyncPlaybackRate: 1.15,
  autoCleanupSourceBuffer: true,
  lazyLoad: false,
}
const { Events, ErrorTypes, ErrorDetails } = mpegts

/** Plays FLV by mpegts.js. */
export const openEngine: OpenEngine = (video, url, onFailure) => {
  let isClosed = false
  let receivedBytes = 0
  const close = () => {
    if (isClosed) return
    isClosed = true
    player.destroy()
  }
  const fail = (failure: Failure) => {
    if (isClosed) return
    close()
    onFailure(failure)
  }

  const customLoader = flvLoader({ onBytes: (count) => (receivedBytes += count), onFailure: fail })
  const source = { type: 'flv', isLive: true, url: new URL(url, document.baseURI).href }
  const player = mpegts.createPlayer(source, { ...CONFIG, customLoader })
  player.on(Events.ERROR, (type: string, detail: string, info?: { readonly msg?: string }) => {
    const message = info?.msg ?? detail
    if (type === ErrorTypes.NETWORK_ERROR) fail({ kind: 'unreachable', message })
    // The source buffer has failed in the middle, as when the media is broken: it begins anew.
    else if (detail === ErrorDetails.MEDIA_MSE_ERROR && receivedBytes > 0 && video.currentTime > 0)
      fail({ kind: 'ended', message })
    else fail({ kind: 'unsupported', message })
  })
  player.attachMediaElement(video)
  player.load()
  return { figures: async () => ({ receivedBytes, bufferMs: 1000 * bufferedAhead(video) }), close }
}
