/** Addresses of streams that programs know by their scheme. */
const OF_PROGRAMS = /^(?:rtmp|rtsp)s?$|^srt$/u

/** The uses of addresses to play by, as the page lists them; an address has the first that it fits. */
const PLAY_USES = [
  {
    use: 'In a browser, with the least delay',
    hint: 'For players of WHEP.',
    fits: ({ plugin, scheme }) => plugin === 'webrtc' && isHttp(scheme),
    hasTestPage: true,
  },
  {
    use: 'In a browser, for as many viewers as you like',
    hint: 'Safari plays it as it is, and other browsers by hls.js.',
    fits: ({ scheme, address }) => isHttp(scheme) && address.endsWith('.m3u8'),
  },
  {
    use: 'In VLC or ffplay, and in OBS as a media source',
    fits: ({ scheme, address }) => OF_PROGRAMS.test(scheme) || (isHttp(scheme) && /\.(?:flv|mp4)$/u.test(address)),
  },
  {
    use: 'In a page of your own, by a script',
    hint: 'FLV by mpegts.js, MP4 by MediaSource, and JSMpeg where a browser plays nothing else.',
    fits: ({ plugin, scheme, address }) =>
      isWebSocket(scheme) && (/\.(?:flv|mp4)$/u.test(address) || plugin === 'jsmpeg'),
  },
  {
    use: 'In programs that take the pictures alone',
    fits: ({ plugin, scheme }) => plugin === 'annexb' && (isHttp(scheme) || isWebSocket(scheme)),
  },
]

/** The uses of addresses to publish by. The page itself says of RTMP how OBS and ffmpeg take it. */
const PUBLISH_USES = [
  { use: 'From OBS Studio or ffmpeg', fits: ({ scheme }) => isRtmp(scheme) },
  {
    use: 'From a browser, or OBS Studio with the service WHIP',
    fits: ({ plugin, scheme }) => plugin === 'webrtc' && isHttp(scheme),
    hasTestPage: true,
  },
  { use: 'From cameras, encoders and ffmpeg', fits: ({ scheme }) => OF_PROGRAMS.test(scheme) },
]

const REST = 'By other plugins'

/** What addresses to play by are for: see {@link groupsOf}. */
export const playGroups = (addresses) => groupsOf(addresses, PLAY_USES)

/** What addresses to publish by are for: see {@link groupsOf}. */
export const publishGroups = (addresses) => groupsOf(addresses, PUBLISH_USES)

export function isRtmp(scheme) {
  return /^rtmps?$/u.test(scheme)
}

/**
 * Sorts addresses (`{plugin, scheme, address}`) by what they are for. Of a use that has no address, there is no group; an
 * address that fits none, as of a plugin that others wrote, is in a group at the end.
 * @returns groups with `use`, `hint` (may be empty), `addresses`, and `testPage`: the relative address of the page that
 *   plays and publishes by WebRTC, or undefined
 */
function groupsOf(addresses, uses) {
  const groups = uses.map(({ use, hint = '', hasTestPage = false }) => ({ use, hint, hasTestPage, addresses: [] }))
  const rest = { use: REST, hint: '', hasTestPage: false, addresses: [] }
  for (const shown of addresses) {
    const index = uses.findIndex(({ fits }) => fits(shown))
    const group = groups[index] ?? rest
    group.addresses.push(shown)
  }
  return [...groups, rest]
    .filter((group) => group.addresses.length > 0)
    .map(({ use, hint, hasTestPage, addresses: found }) => ({
      use,
      hint,
      addresses: found,
      testPage: hasTestPage ? testPageOf(found) : undefined,
    }))
}

/** It is beside the addresses of sessions, where the server is that of the page, and shows one of its halves by its name. */
function testPageOf(addresses) {
  const [, folder, way] = /^(\w+\/)(play|push)\/\{streamPath\}$/u.exec(addresses[0]?.address ?? '') ?? []
  return folder === undefined ? undefined : `${folder}test#${way === 'push' ? 'publish' : 'subscribe'}`
}

function isHttp(scheme) {
  return scheme === 'http' || scheme === 'https'
}

function isWebSocket(scheme) {
  return scheme === 'ws' || scheme === 'wss'
}
