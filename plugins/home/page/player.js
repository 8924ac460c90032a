/* global clearTimeout, fetch, performance, setTimeout, window, mpegts */

import { createWebSocketLoader } from './web-socket-loader.js'
import { WhepEngine } from './whep.js'

/** A stream that has ended, or that nobody published while the server waited, is asked for again after this. */
const RETRY_MS = 2000
/** When the server says no at once, again and again, it is asked less and less often, up to this. */
const MAX_RETRY_MS = 16_000
/** Without a picture for so long, the viewer is told what is waited for. A server that took longer has waited itself. */
const PATIENCE_MS = 2000
const HLS_TYPE = 'application/vnd.apple.mpegurl'

/** Media is kept for a while only: a page may play for days. */
const MPEGTS_CONFIG = {
  liveSync: true,
  liveSyncMaxLatency: 2,
  liveSyncTargetLatency: 0.8,
  autoCleanupSourceBuffer: true,
}

/**
 * The ways this browser can play a stream, the best first. FLV by WebSocket takes none of the few connections that a
 * browser has for a server; by HTTP it passes every proxy, and tells why a stream is refused; HLS is for browsers
 * without Media Source Extensions. WebRTC shows what happens with the least delay, and is there for those who ask for it.
 * @param lowDelay whether WebRTC comes first
 */
export function waysOf(play, video, lowDelay) {
  const whep = whepAddress(play)
  const others = bufferedWays(play, video)
  return lowDelay && whep !== undefined ? [{ shown: whep, kind: 'whep' }, ...others] : others
}

/** Where streams are to be had by WebRTC; undefined where the server or the browser has none. */
export function whepAddress(play) {
  if (window.RTCPeerConnection === undefined) return undefined
  return play.find(
    ({ plugin, scheme, address }) => plugin === 'webrtc' && scheme === 'http' && !address.includes('://'),
  )
}

function bufferedWays(play, video) {
  const offered = (scheme, ending) =>
    play.filter((shown) => shown.scheme === scheme && !shown.address.includes('://') && shown.address.endsWith(ending))
  const flv = [...offered('ws', '.flv'), ...offered('http', '.flv')]
  if (flv.length > 0 && window.mpegts?.isSupported()) return flv.map((shown) => ({ shown, kind: 'flv' }))
  if (video.canPlayType(HLS_TYPE) === '') return []
  return offered('http', '.m3u8').map((shown) => ({ shown, kind: 'native' }))
}

/**
 * Plays one stream in a video element, and goes on when it comes back. `onState` is called with `connecting`, `waiting`
 * (no picture has come yet), `playing`, `stalled`, `ended`, `offline`, `denied` or `unsupported`, and a detail; after the
 * last two it does no more until `play` is called again.
 */
export class Player {
  #video
  #onState
  /** Each with the `kind` of player and its `url`, the best first. */
  #ways = []
  /** The way that is tried, and the one to begin with: that which played last. */
  #way = 0
  #firstWay = 0
  /** Whether it has shown a picture, and when it began. */
  #started = false
  #openedMs = 0
  /** Attempts in a row to which the server said no at once. */
  #failures = 0
  /** The player of mpegts.js, or `native`; undefined when nothing is open. */
  #engine
  #patience
  #retry

  constructor(video, onState) {
    this.#video = video
    this.#onState = onState
    video.addEventListener('playing', () => this.#playing())
    video.addEventListener('waiting', () => this.#started && this.#lookAfter('stalled'))
    video.addEventListener('error', () => this.#nativeError())
    video.addEventListener('ended', () => this.#engine === 'native' && this.#again('ended'))
  }

  play(ways) {
    if (ways[0]?.kind !== this.#ways[0]?.kind) this.#firstWay = 0
    this.#ways = ways
    this.#failures = 0
    this.#onState('connecting')
    this.#open(ways.length > this.#firstWay ? this.#firstWay : 0)
  }

  stop() {
    clearTimeout(this.#patience)
    clearTimeout(this.#retry)
    const engine = this.#engine
    this.#engine = undefined
    if (engine === 'native') this.#video.removeAttribute('src')
    else engine?.destroy()
  }

  #open(index) {
    this.stop()
    const way = this.#ways[index]
    if (way === undefined) return this.#onState('unsupported', 'it plays nothing that this server has')
    this.#way = index
    this.#started = false
    this.#openedMs = performance.now()
    this.#lookAfter('waiting')
    if (way.kind === 'flv') this.#openFlv(way.url)
    else if (way.kind === 'whep') this.#openWhep(way.url)
    else this.#openNative(way.url)
    // Refused without a click when the viewer has turned the sound on; the controls are there for that.
    this.#video.play()?.catch(() => {})
  }

  #openFlv(url) {
    // What goes wrong is told on the page.
    mpegts.LoggingControl.enableAll = false
    const loader = url.startsWith('ws') ? { customLoader: createWebSocketLoader() } : {}
    const engine = mpegts.createPlayer({ type: 'flv', isLive: true, url }, { ...MPEGTS_CONFIG, ...loader })
    this.#engine = engine
    const ifCurrent = (action) => (first, second, third) => this.#engine === engine && action(first, second, third)
    engine.on(
      mpegts.Events.ERROR,
      ifCurrent((kind, detail, info) => this.#failed(kind, detail, info)),
    )
    engine.on(
      mpegts.Events.LOADING_COMPLETE,
      ifCurrent(() => this.#again(this.#started ? 'ended' : 'waiting')),
    )
    engine.attachMediaElement(this.#video)
    engine.load()
  }

  #openWhep(url) {
    const engine = new WhepEngine(this.#video)
    this.#engine = engine
    const next = () => this.#open(this.#way + 1)
    void engine.open(url, {
      // A stream of codecs that WebRTC does not have plays in another way.
      onRefused: (status) => (status === 406 && this.#way + 1 < this.#ways.length ? next() : this.#refused(status)),
      onEnded: () => this.#again(this.#started ? 'ended' : 'offline'),
    })
  }

  #openNative(url) {
    this.#engine = 'native'
    this.#video.src = url
  }

  #playing() {
    clearTimeout(this.#patience)
    this.#started = true
    this.#failures = 0
    this.#firstWay = this.#way
    this.#onState('playing')
  }

  #failed(kind, detail, info) {
    const { ErrorTypes, ErrorDetails } = mpegts
    if (kind === ErrorTypes.NETWORK_ERROR) return this.#networkError(detail, info?.code)
    if (detail === ErrorDetails.MEDIA_CODEC_UNSUPPORTED || detail === ErrorDetails.MEDIA_FORMAT_UNSUPPORTED) {
      return this.#giveUp('unsupported', info?.msg ?? detail)
    }
    this.#again('ended')
  }

  #networkError(detail, status) {
    if (detail === mpegts.ErrorDetails.NETWORK_STATUS_CODE_INVALID) this.#refused(status)
    else if (this.#started) this.#again('ended')
    // A WebSocket that is refused does not say why: a proxy without WebSockets, a missing key, no stream.
    else if (this.#way + 1 < this.#ways.length) this.#open(this.#way + 1)
    else this.#again('offline')
  }

  /** A media element tells no status either; the server tells it to whoever asks for the same. */
  async #nativeError() {
    const way = this.#ways[this.#way]
    if (this.#engine !== 'native' || way === undefined) return
    const status = await fetch(way.url).then(
      (answer) => answer.status,
      () => 0,
    )
    if (this.#engine !== 'native' || this.#ways[this.#way] !== way) return
    if (status === 200) this.#again(this.#started ? 'ended' : 'waiting')
    else this.#refused(status)
  }

  #refused(status) {
    if (status === 401 || status === 403) this.#giveUp('denied', status)
    else this.#again(status === 404 ? 'waiting' : 'offline', status)
  }

  /** Says so when there is no picture for a while. */
  #lookAfter(state) {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.#onState(state), PATIENCE_MS)
  }

  #giveUp(state, detail) {
    this.stop()
    this.#onState(state, detail)
  }

  #again(state, detail) {
    const saidNoAtOnce = !this.#started && performance.now() - this.#openedMs < PATIENCE_MS
    const delayMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.#failures)
    this.#failures = saidNoAtOnce ? this.#failures + 1 : 0
    if (state === 'offline') this.#firstWay = 0
    this.stop()
    this.#onState(state, detail)
    this.#retry = setTimeout(() => this.#open(this.#firstWay), delayMs)
  }
}
