import type { OpenEngine, Transport } from './engine.ts'

/** A way in which this server's streams come to a browser. */
type TransportWay = {
  readonly label: string
  /** The plugin that serves it, which is its protocol at the gates, too. */
  readonly plugin: string
  /** The path on the server; `path` is encoded. */
  readonly address: (path: string) => string
  readonly isSupported: () => boolean
  /** Loads the code that plays it. */
  readonly load: () => Promise<{ readonly openEngine: OpenEngine }>
}

/** In the order in which the viewer is offered them. */
export const TRANSPORTS: Readonly<Record<Transport, TransportWay>> = {
  webrtc: {
    label: 'WebRTC',
    plugin: 'webrtc',
    address: (path) => `/webrtc/whep/${path}`,
    isSupported: () => 'RTCPeerConnection' in window,
    load: () => import('./webrtc-engine.ts'),
  },
  flv: {
    label: 'FLV',
    plugin: 'flv',
    address: (path) => `/flv/${path}.flv`,
    isSupported: () => 'MediaSource' in window,
    load: () => import('./flv-engine.ts'),
  },
  hls: {
    label: 'HLS',
    plugin: 'hls',
    address: (path) => `/hls/${path}/index.m3u8`,
    isSupported: () => true,
    load: () => import('./hls-engine.ts'),
  },
  mp4: {
    label: 'MP4',
    plugin: 'mp4',
    address: (path) => `/mp4/${path}.mp4`,
    isSupported: () => 'MediaSource' in window,
    load: () => import('./mp4-engine.ts'),
  },
}

/** The least delay first; HLS, which has the most, plays what nothing else does. */
const BY_DELAY: readonly Transport[] = ['webrtc', 'flv', 'mp4', 'hls']

/** The transports that are tried, one after the other. */
export function transportsToTry(chosen: Transport | undefined): readonly Transport[] {
  return chosen === undefined ? BY_DELAY.filter((name) => TRANSPORTS[name].isSupported()) : [chosen]
}

export function addressOf(transport: Transport, streamPath: string): string {
  return TRANSPORTS[transport].address(streamPath.split('/').map(encodeURIComponent).join('/'))
}
