import HlsPlayer, { ErrorDetails, ErrorTypes, type ErrorData, type HlsConfig } from 'hls.js'
import { bufferedAhead, failureOf, failureOfStatus, MAX_LAG_SECONDS, type Failure, type OpenEngine } from './engine.ts'

const TYPE = 'application/vnd.apple.mpegurl'
const CONFIG: Partial<HlsConfig> = {
  enableWorker: false,
  lowLatencyMode: true,
  maxLiveSyncPlaybackRate: 1.15,
  backBufferLength: 10,
  liveMaxLatencyDuration: 2 * MAX_LAG_SECONDS,
  liveSyncDuration: 2,
}
const UNSUPPORTED: ReadonlySet<ErrorDetails> = new Set([
  ErrorDetails.MANIFEST_INCOMPATIBLE_CODECS_ERROR,
  ErrorDetails.BUFFER_ADD_CODEC_ERROR,
  ErrorDetails.BUFFER_INCOMPATIBLE_CODECS_ERROR,
])

/** Plays HLS by hls.js, and by the browser itself where there are no Media Source Extensions, as on older iPhones. */
export const openEngine: OpenEngine = (video, url, onFailure) =>
  HlsPlayer.isSupported() ? openHls(video, url, onFailure) : openNative(video, url, onFailure)

const openHls: OpenEngine = (video, url, onFailure) => {
  const hls = new HlsPlayer(CONFIG)
  let isClosed = false
  let receivedBytes = 0
  let hasRecovered = false

  const close = () => {
    if (isClosed) return
    isClosed = true
    video.removeEventListener('ended', ended)
    hls.destroy()
  }
  const fail = (failure: Failure) => {
    if (isClosed) return
    close()
    onFailure(failure)
  }
  const ended = () => fail({ kind: 'ended', message: '' })
  const failed = ({ fatal, type, details, response, error }: ErrorData) => {
    if (!fatal) return
    if (UNSUPPORTED.has(details)) return fail({ kind: 'unsupported', message: error.message })
    if (type === ErrorTypes.MEDIA_ERROR && !hasRecovered) {
      hasRecovered = true
      hls.recoverMediaError()
    } else if (response?.code !== undefined && response.code >= 400) {
      fail(failureOfStatus(response.code, textOf(response.data ?? response.text)))
    } else {
      fail({ kind: type === ErrorTypes.MEDIA_ERROR ? 'ended' : 'unreachable', message: error.message })
    }
  }

  video.addEventListener('ended', ended)
  hls.on(HlsPlayer.Events.FRAG_LOADED, (_, { frag, part }) => {
    receivedBytes += part?.stats.loaded ?? frag.stats.loaded
  })
  hls.on(HlsPlayer.Events.ERROR, (_, data) => failed(data))
  hls.loadSource(url)
  hls.attachMedia(video)
  return {
    // hls.js knows the end of the playlist, and how long ago it got it.
    figures: async () => ({
      receivedBytes,
      bufferMs: 1000 * bufferedAhead(video),
      ...(hls.latency > 0 && { delayMs: 1000 * hls.latency }),
    }),
    close,
  }
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : ''
}

const openNative: OpenEngine = (video, url, onFailure) => {
  let isClosed = false
  const close = () => {
    if (isClosed) return
    isClosed = true
    video.removeEventListener('ended', ended)
    video.removeEventListener('error', failed)
    video.removeAttribute('src')
    video.load()
  }
  const fail = (failure: Failure) => {
    if (isClosed) return
    close()
    onFailure(failure)
  }
  const ended = () => fail({ kind: 'ended', message: '' })
  // A media element does not tell the status.
  const failed = () => void failureOf(url).then(fail)

  if (video.canPlayType(TYPE) === '') {
    queueMicrotask(() => fail({ kind: 'unsupported', message: 'this browser plays no HLS' }))
  } else {
    video.addEventListener('ended', ended)
    video.addEventListener('error', failed)
    video.src = url
  }
  return { figures: async () => ({ bufferMs: 1000 * bufferedAhead(video) }), close }
}
