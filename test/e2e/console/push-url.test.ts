import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../../peers/chromium.ts'
import { publish } from '../../peers/ffmpeg.ts'
import { freePort, freeUdpPort } from '../../peers/free-port.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { ConsolePage } from '../../support/console-page.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

const SIGNED = `
global:
  enableauth: true
  publish: { key: publish-key }
  subscribe: { key: subscribe-key }
`
const POLICY = `
global:
  signed_policy: { enable: true, secret: policy-secret }
`
/** Each with what ffmpeg carries it in. */
const PROTOCOLS = ['RTMP', 'RTSP', 'SRT'] as const

describe('addresses to publish to, made in Chromium', () => {
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    requirePeer(this, 'ffmpeg')
    browser = await openChromium()
  })

  /** Addresses have the ports of the config, so that these are to be known beforehand. */
  async function startOnPorts(config: string): Promise<RunningServer> {
    const [rtmp, rtsp, srt] = [await freePort(), await freePort(), await freeUdpPort()]
    const env = {
      SLUICE_RTMP_TCP_LISTENADDR: `:${rtmp}`,
      SLUICE_RTSP_TCP_LISTENADDR: `:${rtsp}`,
      SLUICE_SRT_LISTENADDR: `:${srt}`,
    }
    return startServer({ config, env })
  }

  async function openDialog(server: RunningServer, streamPath: string): Promise<ConsolePage> {
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'streams')
    await console.button('Push URL').click()
    await console.page.getByRole('combobox', { name: 'Stream path' }).fill(streamPath)
    return console
  }

  /** Waits for the address by a protocol, which is signed. */
  async function addressBy(console: ConsolePage, protocol: string, streamPath: string): Promise<string> {
    await console.page.getByRole('dialog').getByText(protocol, { exact: true }).click()
    const address = console.page.getByLabel('Address', { exact: true })
    const ofProtocol = protocol === 'WHIP' ? 'http' : protocol.toLowerCase()
    await address.filter({ hasText: new RegExp(`^${ofProtocol}:.*${streamPath}\\?.*expire=`, 'u') }).waitFor()
    return (await address.textContent()) ?? ''
  }

  async function isPublished(server: RunningServer, streamPath: string): Promise<void> {
    const look = async () => (await server.api(`/api/stream/info/${streamPath}`)).status === 200
    await waitFor(look, { what: streamPath })
  }

  /** The address with another digit in a parameter. */
  function altered(address: string, name: string): string {
    return address.replace(
      new RegExp(`(${name}=)(.)`, 'u'),
      (_, before: string, digit: string) => before + (digit === '0' ? '1' : '0'),
    )
  }

  /** The status that the browser's offer to publish is answered with. */
  function offerTo(console: ConsolePage, address: string): Promise<number> {
    // The script is text, for it runs in the page.
    return console.page.evaluate<number>(`(async () => {
      const connection = new RTCPeerConnection()
      connection.addTransceiver('video', { direction: 'sendonly' })
      const { sdp } = await connection.createOffer()
      const headers = { 'content-type': 'application/sdp' }
      return (await fetch(${JSON.stringify(address)}, { method: 'POST', headers, body: sdp })).status
    })()`)
  }

  it('are let in by the signature, and refused when they are altered', async () => {
    const server = await startOnPorts(SIGNED)
    for (const protocol of PROTOCOLS) {
      const streamPath = `live/by-${protocol.toLowerCase()}`
      const console = await openDialog(server, streamPath)
      const address = await addressBy(console, protocol, streamPath)
      const refused = publish({ url: altered(address, 'secret'), durationSeconds: 600 })
      expect((await refused.exit).code, `${protocol}, altered`).not.to.equal(0)
      expect((await server.api(`/api/stream/info/${streamPath}`)).status).to.equal(404)
      publish({ url: address, durationSeconds: 600 })
      await isPublished(server, streamPath)
    }
    const console = await openDialog(server, 'live/by-whip')
    const address = await addressBy(console, 'WHIP', 'live/by-whip')
    expect(await offerTo(console, altered(address, 'secret'))).to.equal(401)
    expect(await offerTo(console, address)).to.equal(201)
  })

  it('are played by an admin, who needs a signature, too', async () => {
    const server = await startOnPorts(SIGNED)
    const dialog = await openDialog(server, 'live/signed')
    publish({ url: await addressBy(dialog, 'RTMP', 'live/signed'), durationSeconds: 600 })
    await isPublished(server, 'live/signed')
    const console = await ConsolePage.open(browser, server.http('/admin/'), 'streams/live/signed')
    await console.plays()
    for (const label of ['FLV', 'HLS', 'MP4']) {
      await console.page.getByText(label, { exact: true }).click()
      await console.page.getByText('Connecting …').waitFor({ state: 'hidden' })
      await console.plays()
    }
  })

  it('are let in by the signed policy, for their protocol alone', async () => {
    const server = await startOnPorts(POLICY)
    const console = await openDialog(server, 'live/policy')
    const address = await addressBy(console, 'RTMP', 'live/policy')
    expect(new URL(address).searchParams.get('policy')).to.match(/^[0-9a-f]{64}$/u)
    const refused = publish({ url: altered(address, 'policy'), durationSeconds: 600 })
    expect((await refused.exit).code).not.to.equal(0)
    publish({ url: address, durationSeconds: 600 })
    await isPublished(server, 'live/policy')
  })

  it('have a QR code, a copy button, and lines for OBS and ffmpeg; the dialog is sound', async () => {
    const server = await startOnPorts('')
    const console = await openDialog(server, 'live/cam')
    const url = server.rtmp('live/cam')
    await console.page.getByRole('img', { name: `QR code of ${url}` }).waitFor()
    expect(await console.page.getByLabel('OBS: server', { exact: true }).textContent()).to.equal(
      server.rtmp('live').replace(/\/$/u, ''),
    )
    expect(await console.page.getByLabel('OBS: stream key', { exact: true }).textContent()).to.equal('cam')
    expect(await console.page.getByLabel('ffmpeg, with a test picture', { exact: true }).textContent()).to.match(
      new RegExp(` -f flv ${url}$`, 'u'),
    )
    await console.isSound()
    await console.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await console.button('Copy: Address').click()
    await console.text('Copied')
    expect(await console.page.evaluate('navigator.clipboard.readText()')).to.equal(url)
  })
})
