import { expect } from 'chai'
import { addressesIn, ask } from '../../../test/support/hls-client.ts'
import { HlsRig } from '../fixtures/hls-rig.ts'

describe('HLS after the plugin was replaced', () => {
  const number = (tag: string, text: string) => Number(new RegExp(`#EXT-X-${tag}:(\\d+)`, 'u').exec(text)?.[1])

  let former: HlsRig
  let next: HlsRig
  beforeEach(async () => {
    former = await HlsRig.start()
  })
  afterEach(async () => {
    await former.stop()
    await next.stop()
  })

  /** Starts a generation that finds what the one before has kept. */
  const replace = async (config = {}) => {
    next = await HlsRig.start(config, {}, former.host.kept)
  }

  it('goes on by higher numbers, though the one before still has viewers', async () => {
    const before = await former.watch()
    await replace()
    const after = await next.watch()
    const listed = (text: string) => text.match(/-\d+\.m4s$/gmu)?.length ?? 0
    const sequence = number('MEDIA-SEQUENCE', before.media.text)
    expect(number('MEDIA-SEQUENCE', after.media.text)).to.be.at.least(sequence + listed(before.media.text))
    const discontinuity = number('DISCONTINUITY-SEQUENCE', before.media.text)
    expect(number('DISCONTINUITY-SEQUENCE', after.media.text)).to.equal(discontinuity + 1)
  })

  it('still knows whom an operator has stopped', async () => {
    const { mediaUrl } = await former.watch()
    former.viewers[0]?.close('stop')
    await replace()
    const { pathname } = new URL(mediaUrl)
    expect((await ask(next.url(pathname))).status).to.equal(410)
  })

  it('lets no shared cache keep what gates look at from now on', async () => {
    const { media } = await former.watch()
    const [file = ''] = addressesIn(media, /\.m4s/u)
    const caching = async () => (await ask(file)).headers.get('cache-control')
    expect(await caching()).to.match(/^public,/u)
    await replace({ enableauth: true })
    expect(await caching()).to.match(/^private,/u)
  })
})
