import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { CHROMIUM, openChromium } from '../../peers/chromium.ts'
import { findProgram } from '../../peers/peers.ts'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'
import type { NetworkNamespace } from './network-namespace.ts'
import { PAGE_SCRIPT } from './page-script.ts'

/** Candidates say the machine's addresses, loopback too, instead of names that only multicast DNS knows. */
const BROWSER_ARGS = ['--disable-features=WebRtcHideLocalIpsWithMdns', '--allow-loopback-in-peer-connection']
/** Between two looks at a page: more of them would take from it what it encodes and decodes with. */
const INTERVAL_MS = 200
const TIMEOUT_MS = 120_000

/** A codec by its name in SDP. */
export type PageCodec = 'VP8' | 'VP9' | 'H264' | 'AV1' | 'H265'

export type PagePublishInit = {
  readonly codec: PageCodec
  /** Also a tone, in Opus. Default true. */
  readonly sound?: boolean
  /** Default 320x240: no smaller, as the code in the pictures is 320 wide. */
  readonly width?: number
  readonly height?: number
  /** Default 25. */
  readonly fps?: number
  /** Simulcast: the layers from the smallest, each half as wide as the next. */
  readonly rids?: readonly string[]
}

/** What a page that publishes says of it. */
export type PagePublisherState = {
  /** `RTCPeerConnection.connectionState`. */
  readonly connection: string
  /** Pictures that the canvas was given. */
  readonly drawn: number
  readonly framesEncoded: number
  readonly keyFramesEncoded: number
  /** That came from the server. */
  readonly nackCount: number
  readonly pliCount: number
  readonly retransmittedPackets: number
  readonly encoder: string
  /** A name of each encoded picture; of simulcast there are none. */
  readonly sent: readonly string[]
  readonly errors: readonly string[]
}

/** A picture that was shown. */
export type ShownPicture = {
  /** How many were presented so far. */
  readonly presented: number
  readonly rtpTimestamp: number
  /** As the publisher drew it, modulo 65,536; absent of one without a code, or with a spoilt one. */
  readonly number?: number
  /** From drawing to showing, by the browser's clock. */
  readonly delayMs?: number
}

/** What a page that plays says of it. */
export type PagePlayerState = {
  readonly connection: string
  readonly size: string
  readonly videoCodec: string
  readonly audioCodec: string
  /** Of the chosen pair: `udp` or `tcp`. */
  readonly transport: string
  readonly framesReceived: number
  readonly framesDecoded: number
  readonly framesDropped: number
  readonly keyFramesDecoded: number
  readonly freezeCount: number
  readonly packetsReceived: number
  readonly packetsLost: number
  readonly retransmittedPackets: number
  /** That it sent. */
  readonly nackCount: number
  readonly pliCount: number
  readonly jitterBufferMs: number
  readonly soundPackets: number
  readonly soundEnergy: number
  readonly concealedSamples: number
  readonly soundSamples: number
  readonly pictures: readonly ShownPicture[]
  /** A name of each encoded picture, before it is decoded. */
  readonly received: readonly string[]
  readonly errors: readonly string[]
}

/** What a page publishes or plays. */
export class PagePeer<State extends { readonly errors: readonly string[] }> {
  readonly #page: Page
  readonly #place: number

  /** @param place among the peers of the page */
  constructor(page: Page, place: number) {
    this.#page = page
    this.#place = place
  }

  state(): Promise<State> {
    return this.#page.evaluate<State>(`peers[${this.#place}].state()`)
  }

  /** Waits for a state of it, and gives that. */
  async until(check: (state: State) => boolean, what: string): Promise<State> {
    let last: State | undefined
    const look = async () => {
      last = await this.state()
      return check(last) && last
    }
    return waitFor(look, { what, intervalMs: INTERVAL_MS, timeoutMs: TIMEOUT_MS }).catch((cause: Error) => {
      throw new Error(`${cause.message}; the page says ${textOf(last)}`, { cause })
    })
  }

  /** Ends it as RFC 9725 has it, by `DELETE`. */
  async stop(): Promise<void> {
    await this.#page.evaluate(`peers[${this.#place}].stop()`)
  }
}

export type PagePublisher = PagePeer<PagePublisherState>
export type PagePlayer = PagePeer<PagePlayerState>

/** A page of Chromium that publishes and plays WebRTC, from an origin of its own. It ends with the test. */
export class RtcPage {
  readonly browser: Browser
  readonly page: Page

  private constructor(browser: Browser, page: Page) {
    this.browser = browser
    this.page = page
  }

  /** @param network where the browser is, instead of on this machine */
  static async open(network?: NetworkNamespace): Promise<RtcPage> {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<!doctype html><body><script>${PAGE_SCRIPT}</script>`)
    })
    keep({ close: () => void server.close() })
    const address = network?.hostAddress ?? '127.0.0.1'
    server.listen(0, address)
    await once(server, 'listening')
    const browser = await openChromium(BROWSER_ARGS, network?.starterOf(findProgram(CHROMIUM) ?? CHROMIUM))
    const page = await browser.newPage()
    await page.goto(`http://${address}:${(server.address() as AddressInfo).port}/`)
    return new RtcPage(browser, page)
  }

  /**
   * Publishes numbered pictures by WHIP.
   * @throws {Error} with the server's answer when it refuses
   */
  async publish(url: string, init: PagePublishInit): Promise<PagePublisher> {
    const all = { sound: true, width: 320, height: 240, fps: 25, ...init }
    return new PagePeer(this.page, await this.#start(`new Publishing(${JSON.stringify(all)})`, url))
  }

  /**
   * Plays by WHEP.
   * @throws {Error} with the server's answer when it refuses
   */
  async play(url: string): Promise<PagePlayer> {
    return new PagePeer(this.page, await this.#start('new Playing()', url))
  }

  /** The codecs that this browser can encode or decode for WebRTC. */
  async codecs(kind: 'RTCRtpSender' | 'RTCRtpReceiver'): Promise<string[]> {
    const names = await this.page.evaluate(`${kind}.getCapabilities('video').codecs.map(({ mimeType }) => mimeType)`)
    return [...new Set(names as string[])]
  }

  #start(created: string, url: string): Promise<number> {
    return this.page.evaluate<number>(`start(${created}, ${JSON.stringify(url)})`)
  }
}

function textOf(state: object | undefined): string {
  if (state === undefined) return 'nothing'
  const { pictures, sent, received, ...rest } = state as Partial<PagePlayerState & PagePublisherState>
  return JSON.stringify({
    ...rest,
    encoded: (sent ?? received)?.length,
    pictures: pictures?.length,
    last: pictures?.slice(-3),
  })
}
