/** How RTP travels: in the connection of RTSP, in datagrams to one player, to a group, or in a pair of HTTP requests. */
export type RtspTransport = 'tcp' | 'udp' | 'multicast' | 'http'

/** One access unit, or packet of sound, as a peer got it. */
export type PeerFrame = {
  readonly kind: 'video' | 'audio'
  /** Milliseconds with fractions; null when the peer does not know. */
  readonly ptsMs: number | null
  /** Of H.264 and H.265 with start codes, and whatever parameter sets and the like lie with it. */
  readonly data: Buffer
}
