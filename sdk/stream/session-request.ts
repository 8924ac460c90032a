import type { AudioCodec, VideoCodec } from '../media/track.ts'
/** The action of a session on a stream, as the gates and their filters name it. */
export type SessionAction = 'publish' | 'play'

/**
 * The origin of a session. `server` is a client from outside; the other sessions are the server's own, and exempt from the
 * gates and, as subscribers, from the stream's subscriber count.
 */
export type SessionType = 'server' | 'pull' | 'push' | 'vod' | 'transform' | 'replay' | 'api'

/** The peer of a session. */
export type SessionClient = {
  readonly ip: string
  readonly port: number
  /** The User-Agent header, RTMP's `flashVer` or the like; empty when the protocol has none. */
  readonly userAgent: string
}

/** The other end of a connection, as a socket or the peer of a datagram names it. */
type RemoteEnd = { readonly remoteAddress?: string | undefined; readonly remotePort?: number | undefined }

/** The peer that a session is with; an IPv4 address mapped into IPv6 is given as IPv4. */
export function sessionClient({ remoteAddress = '', remotePort = 0 }: RemoteEnd, userAgent = ''): SessionClient {
  const isMapped = remoteAddress.startsWith('::ffff:') && remoteAddress.includes('.')
  return { ip: isMapped ? remoteAddress.slice('::ffff:'.length) : remoteAddress, port: remotePort, userAgent }
}

/** The codecs that a player can take, by kind; all of a kind that is left out. */
export type AcceptedCodecs = {
  readonly video?: readonly VideoCodec[]
  readonly audio?: readonly AudioCodec[]
}

/** A session that wants to publish or play, as its plugin describes it. */
export type SessionInit = {
  /** `app/name`, without host, protocol and query. */
  readonly streamPath: string
  /** The full URL as requested, with its query. Only gates see it; it is never logged. */
  readonly url: string
  /** The raw query, without `?`. */
  readonly query: string
  readonly client: SessionClient
  /** Defaults to `server`. */
  readonly type?: SessionType
  /**
   * True for a session that goes along when the viewers of its path are moved to another stream, such as one that takes the
   * stream for them. Only for types other than `server`: sessions of that type are all viewers. Default false.
   */
  readonly follows?: boolean
  /**
   * True for a session that lets its stream end as if it did not subscribe, by `idletimeout` and `delayclosetimeout`, as
   * recordings do. For `subscribe`; default false.
   */
  readonly passive?: boolean
  /**
   * The codecs that the player can take, for `subscribe`. A stream with no such track of a kind that it has is asked about by the
   * `adapt` hooks, and the subscriber gets the stream that they make of it; the one it asked for where there is none.
   */
  readonly accepts?: AcceptedCodecs
  /** Aborted when the peer goes, which ends the waiting of `publish` and `subscribe`. */
  readonly signal?: AbortSignal
  /**
   * Called once when the path has a publisher, while `subscribe` goes on waiting for its tracks: for protocols with players
   * that expect an answer before media flows.
   */
  readonly onPublisher?: () => void
}

/** A session request as gates and hooks see it. */
export type SessionRequest = SessionInit & {
  readonly action: SessionAction
  /** The plugin's name: `rtmp`, `flv`, … */
  readonly protocol: string
  readonly type: SessionType
  /** The query, decoded; of a repeated name the first value. */
  readonly params: Readonly<Record<string, string>>
}
